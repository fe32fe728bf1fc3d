//! The language between orchestrator and worker: one JSON value a line, requests on the worker's
//! standard input, exactly one reply to each on its standard output.
//!
//! `hello` -> `prepare` -> `run` (any number of times) -> `prepare` another ... -> `stop`.

use serde::{Deserialize, Serialize};

use crate::scenario::Unit;
use crate::validity::Negotiated;

/// What the orchestrator asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "kebab-case")]
pub enum Request {
    /// Say what you are and what you can measure.
    Hello,
    /// Make everything the scenario needs, check that it computes the right thing, warm up.
    Prepare {
        /// The scenario's id.
        scenario: String,
    },
    /// Measure the prepared scenario.
    Run {
        /// How long, in milliseconds.
        millis: u64,
    },
    /// End the program.
    Stop,
}

/// What the worker answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "kebab-case")]
pub enum Reply {
    /// To [`Request::Hello`].
    Hello(Hello),
    /// To [`Request::Prepare`].
    Prepared,
    /// To [`Request::Run`].
    Sample(Box<Sample>),
    /// To [`Request::Stop`].
    Stopped,
    /// To any request that failed.
    Error {
        /// What went wrong, for people.
        message: String,
    },
}

/// The identity of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    /// The TLS library that is measured.
    pub library: String,
    /// Its version.
    pub version: String,
    /// The cargo features of this worker that change machine code, sorted.
    pub features: Vec<String>,
    /// The library's own report of how it was built; free form.
    pub build_info: serde_json::Value,
    /// Whether the worker itself was compiled with optimisation.
    pub optimised: bool,
    /// The ids of the scenarios it can measure.
    pub scenarios: Vec<String>,
}

/// One measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The figure: iterations, or bytes, per second of wall time.
    pub value: f64,
    /// What it is counted in.
    pub unit: Unit,
    /// Completed iterations.
    pub iterations: u64,
    /// Wall time, nanoseconds.
    pub elapsed_ns: u64,
    /// Processor time of the process over the same span, nanoseconds; absent where the system does
    /// not tell.
    pub cpu_ns: Option<u64>,
    /// Speed of a fixed scalar loop on the same core just before and after, in loop steps per
    /// microsecond. Only its changes mean anything.
    pub spin: [f64; 2],
    /// What was negotiated; absent for algorithm rows.
    pub negotiated: Option<Negotiated>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_look_as_documented() {
        let line = serde_json::to_string(&Request::Prepare {
            scenario: "algo:sha-256".into(),
        })
        .unwrap();
        assert_eq!(line, r#"{"request":"prepare","scenario":"algo:sha-256"}"#);
        assert_eq!(
            serde_json::from_str::<Request>(r#"{"request":"run","millis":200}"#).unwrap(),
            Request::Run { millis: 200 }
        );
    }

    #[test]
    fn an_error_is_a_reply() {
        let reply = Reply::Error {
            message: "no such scenario".into(),
        };
        assert_eq!(
            serde_json::to_string(&reply).unwrap(),
            r#"{"reply":"error","message":"no such scenario"}"#
        );
    }
}
