//! What is to be signed belongs to the connection: it cannot be looked at while C changes it.

use wolfssl::{ConnectionCommon, Error};

fn sign(connection: &mut ConnectionCommon) -> Result<(), Error> {
    let request = connection.signature_request().unwrap();
    connection.process(&mut &[][..], &mut Vec::new())?;
    println!("{}", request.scheme());
    Ok(())
}

fn main() {}
