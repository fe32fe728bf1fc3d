//! Owners of wolfCrypt's objects. Where the library has a constructor it is used; the other objects
//! lie in a box that never moves, of the size that bindgen took from the library's own headers.

use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

use wolfssl_sys as ffi;

use super::{NO_DEVICE, check};
use crate::cohort::Result;

/// Declares an owner: the C type, its constructor with the function's name, its destructor.
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
    /// A ChaCha20 key with its counter.
    ChaCha(ffi::ChaCha), "ChaCha",
    |_| zeroed(),
    release;
}

owner! {
    /// A Poly1305 accumulator.
    Poly1305(ffi::Poly1305), "Poly1305",
    |_| zeroed(),
    release;
}

owner! {
    /// A keyed hash.
    Hmac(ffi::Hmac), "wc_HmacInit",
    |code| {
        let hmac = zeroed();
        // SAFETY: `hmac` is zeroed memory of the object's size; null is the default heap.
        *code = unsafe { ffi::wc_HmacInit(hmac, ptr::null_mut(), NO_DEVICE) };
        hmac
    },
    |hmac| {
        // SAFETY: the object was initialised by wc_HmacInit and is freed once.
        unsafe { ffi::wc_HmacFree(hmac) };
        release(hmac);
    };
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
    /// A group and key for Diffie-Hellman.
    DhKey(ffi::DhKey), "wc_InitDhKey",
    |code| {
        let key = zeroed();
        // SAFETY: `key` is zeroed memory of the object's size.
        *code = unsafe { ffi::wc_InitDhKey(key) };
        key
    },
    |key| {
        // SAFETY: the object was initialised by wc_InitDhKey and is freed once.
        unsafe { ffi::wc_FreeDhKey(key) };
        release(key);
    };
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

owner! {
    /// A key of ML-KEM-768.
    MlKem768Key(ffi::MlKemKey), "wc_MlKemKey_New",
    // SAFETY: wc_MlKemKey_New takes the default heap for null.
    |_| unsafe { ffi::wc_MlKemKey_New(ffi::WC_ML_KEM_768 as i32, ptr::null_mut(), NO_DEVICE) },
    // SAFETY: the pointer came from wc_MlKemKey_New and is given back once; the second argument, a
    // place to be nulled, may be null.
    |key| unsafe { ffi::wc_MlKemKey_Delete(key, ptr::null_mut()); };
}

owner! {
    /// A key of ML-DSA; its parameter set is chosen later.
    MlDsaKey(ffi::wc_MlDsaKey), "wc_MlDsaKey_New",
    // SAFETY: wc_MlDsaKey_New takes the default heap for null.
    |_| unsafe { ffi::wc_MlDsaKey_New(ptr::null_mut(), NO_DEVICE) },
    // SAFETY: the pointer came from wc_MlDsaKey_New and is given back once; the second argument, a
    // place to be nulled, may be null.
    |key| unsafe { ffi::wc_MlDsaKey_Delete(key, ptr::null_mut()); };
}

/// Zeroed memory for a C object, to be given to [`release`].
fn zeroed<T>() -> *mut T {
    Box::into_raw(Box::new(MaybeUninit::<T>::zeroed())).cast()
}

/// Gives memory from [`zeroed`] back.
fn release<T>(object: *mut T) {
    // SAFETY: the pointer came from Box::into_raw in `zeroed` and is given back once.
    drop(unsafe { Box::from_raw(object.cast::<MaybeUninit<T>>()) });
}
