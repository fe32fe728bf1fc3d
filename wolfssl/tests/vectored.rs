//! Vectored writes of the blocking stream: small pieces do not become small records.

mod support;

use std::io::{self, IoSlice, Read, Write};

use support::{connected, receive};
use wolfssl::StreamOwned;

/// Keeps what is sent.
#[derive(Default)]
struct Sent {
    bytes: Vec<u8>,
    writes: usize,
}

impl Read for Sent {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::WouldBlock.into())
    }
}

impl Write for Sent {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.writes += 1;
        self.bytes.extend_from_slice(data);
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// How many records these bytes are.
fn records(mut wire: &[u8]) -> usize {
    let mut count = 0;
    while let [_, _, _, high, low, rest @ ..] = wire {
        wire = &rest[usize::from(u16::from_be_bytes([*high, *low]))..];
        count += 1;
    }
    assert!(wire.is_empty(), "whole records");
    count
}

#[test]
fn as_few_records_and_writes_as_the_data_needs() {
    // Lengths of the pieces, and the records that hold them.
    let cases: &[(&[usize], usize)] = &[
        (&[1; 1000], 1),
        (&[16; 1024], 1),
        (&[17; 1024], 2),
        (&[300, 40_000, 300], 3),
        (&[16_384, 16_384], 2),
        (&[1, 16_384], 2),
        (&[0, 0, 5, 0], 1),
        (&[60_000, 60_000], 4), // the limit of one write: 64 KiB
    ];
    for (lengths, expected) in cases {
        let (client, mut server) = connected();
        let mut stream = StreamOwned::new(client, Sent::default());
        let data = (0..lengths.len())
            .map(|n| vec![n as u8; lengths[n]])
            .collect::<Vec<_>>();
        let pieces = data.iter().map(|p| IoSlice::new(p)).collect::<Vec<_>>();
        let written = stream.write_vectored(&pieces).unwrap();
        let whole = data.concat();
        assert_eq!(written, whole.len().min(64 * 1024));
        let sent = std::mem::take(stream.get_mut());
        assert_eq!(records(&sent.bytes), *expected, "{lengths:?}");
        assert_eq!(sent.writes, 1);
        assert_eq!(receive(&mut server, &sent.bytes).unwrap(), whole[..written]);
    }
}
