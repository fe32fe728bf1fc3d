//! Early data comes before everything else: the writer is gone once the handshake goes on.

use wolfssl::{ClientConnection, Error};

fn too_late(connection: &mut ClientConnection) -> Result<(), Error> {
    let mut output = Vec::new();
    let mut writer = connection.early_data().unwrap();
    connection.process(&mut &[][..], &mut output)?;
    writer.write(b"late", &mut output)?;
    Ok(())
}

fn main() {}
