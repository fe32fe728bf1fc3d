//! Owners of wolfCrypt's objects: each is made by the library's own constructor and given back to
//! its destructor, so that no struct of the library ever lies in Rust's memory.

use std::ptr::{self, NonNull};

use wolfssl_sys as ffi;

use super::{NO_DEVICE, check};
use crate::cohort::Result;

/// Declares an owner: the C type, the constructor as an expression, the destructor as a closure.
macro_rules! owner {
    (
        $(#[$meta:meta])*
        $name:ident($ctype:ty), $constructor:literal, $new:expr, $delete:expr;
    ) => {
        $(#[$meta])*
        pub struct $name(NonNull<$ctype>);

        impl $name {
            /// A new object.
            pub fn new() -> Result<Self> {
                super::initialise()?;
                let new: fn(&mut i32) -> *mut $ctype = $new;
                let mut code = 0;
                let object = NonNull::new(new(&mut code));
                check($constructor, code)?;
                let object = object.ok_or(concat!($constructor, ": no memory"))?;
                Ok(Self(object))
            }

            /// The object, for calls into the library.
            pub fn get(&mut self) -> *mut $ctype {
                self.0.as_ptr()
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                let delete: fn(*mut $ctype) = $delete;
                delete(self.0.as_ptr());
            }
        }
    };
}

owner! {
    /// A random number generator.
    Rng(ffi::WC_RNG), "wc_rng_new",
    // SAFETY: wc_rng_new takes no nonce when its length is 0, and the default heap for null.
    |_| unsafe { ffi::wc_rng_new(ptr::null_mut(), 0, ptr::null_mut()) },
    // SAFETY: the pointer came from wc_rng_new and is given back once.
    |rng| unsafe { ffi::wc_rng_free(rng) };
}

owner! {
    /// An AES key schedule with its chaining state.
    Aes(ffi::Aes), "wc_AesNew",
    // SAFETY: wc_AesNew takes the default heap for null and writes its verdict to `code`.
    |code| unsafe { ffi::wc_AesNew(ptr::null_mut(), NO_DEVICE, code) },
    // SAFETY: the pointer came from wc_AesNew and is given back once; the second argument, a place
    // to be nulled, may be null.
    |aes| unsafe { ffi::wc_AesDelete(aes, ptr::null_mut()); };
}

owner! {
    /// An RSA key.
    RsaKey(ffi::RsaKey), "wc_NewRsaKey",
    // SAFETY: wc_NewRsaKey takes the default heap for null and writes its verdict to `code`.
    |code| unsafe { ffi::wc_NewRsaKey(ptr::null_mut(), NO_DEVICE, code) },
    // SAFETY: the pointer came from wc_NewRsaKey and is given back once; the second argument, a
    // place to be nulled, may be null.
    |key| unsafe { ffi::wc_DeleteRsaKey(key, ptr::null_mut()); };
}

owner! {
    /// A key on a Weierstrass curve.
    EccKey(ffi::ecc_key), "wc_ecc_key_new",
    // SAFETY: wc_ecc_key_new takes the default heap for null.
    |_| unsafe { ffi::wc_ecc_key_new(ptr::null_mut()) },
    // SAFETY: the pointer came from wc_ecc_key_new and is given back once.
    |key| unsafe { ffi::wc_ecc_key_free(key) };
}

owner! {
    /// A key on Curve25519.
    Curve25519Key(ffi::curve25519_key), "wc_curve25519_new",
    // SAFETY: wc_curve25519_new takes the default heap for null and writes its verdict to `code`.
    |code| unsafe { ffi::wc_curve25519_new(ptr::null_mut(), NO_DEVICE, code) },
    // SAFETY: the pointer came from wc_curve25519_new and is given back once; the second argument,
    // a place to be nulled, may be null.
    |key| unsafe { ffi::wc_curve25519_delete(key, ptr::null_mut()); };
}
