//! Signatures that come later: the connection says what it wants signed, and waits.

use super::ConnectionCommon;
use crate::error::Error;
use crate::signing::SignatureRequest;

impl ConnectionCommon {
    /// What has to be signed before [`process`](Self::process) can go on; `None` unless it
    /// last returned [`Status::WantsSignature`](crate::Status::WantsSignature).
    pub fn signature_request(&self) -> Option<&SignatureRequest> {
        self.session.signature_request()
    }

    /// Gives the signature for [`signature_request`](Self::signature_request); then call
    /// [`process`](Self::process) again, with whatever input there is.
    ///
    /// ```no_run
    /// # use wolfssl::{ConnectionCommon, Error, SignatureRequest, Status};
    /// # fn sign_remotely(_: &SignatureRequest) -> Vec<u8> { todo!() }
    /// # fn f(connection: &mut ConnectionCommon, input: &mut &[u8], output: &mut Vec<u8>)
    /// # -> Result<(), Error> {
    /// if connection.process(input, output)? == Status::WantsSignature {
    ///     let request = connection.signature_request().cloned().expect("it was just asked for");
    ///     let signature = sign_remotely(&request); // now or later, here or elsewhere
    ///     connection.provide_signature(&signature)?;
    ///     connection.process(input, output)?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Signing`]: nothing was asked for, or the signature does not verify with the
    /// certificate's public key. Neither ends the connection, which goes on waiting.
    pub fn provide_signature(&mut self, signature: &[u8]) -> Result<(), Error> {
        Ok(self.session.provide_signature(signature)?)
    }
}
