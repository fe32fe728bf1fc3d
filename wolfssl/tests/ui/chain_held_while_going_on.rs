//! The peer's chain is the connection's: a later certificate replaces it.

use wolfssl::{Error, ServerConnection};

fn ask_again(connection: &mut ServerConnection) -> Result<usize, Error> {
    let chain = connection.peer_certificates();
    connection.request_client_certificate(&mut Vec::new())?;
    Ok(chain.len())
}

fn main() {}
