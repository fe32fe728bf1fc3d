//! Hashes and key derivation of wolfCrypt, for what the API derives from a connection.

use std::ffi::c_int;

use wolfssl_sys as sys;

/// A hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hash {
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

impl Hash {
    /// The hash that wolfSSL's wc_MACAlgorithm stands for, as far as suites use it.
    pub(super) fn from_mac_algorithm(value: c_int) -> Option<Self> {
        match u32::try_from(value) {
            Ok(sys::sha256_mac) => Some(Self::Sha256),
            Ok(sys::sha384_mac) => Some(Self::Sha384),
            _ => None,
        }
    }

    fn wolfcrypt_type(self) -> u32 {
        match self {
            Self::Sha224 => sys::WC_HASH_TYPE_SHA224,
            Self::Sha256 => sys::WC_HASH_TYPE_SHA256,
            Self::Sha384 => sys::WC_HASH_TYPE_SHA384,
            Self::Sha512 => sys::WC_HASH_TYPE_SHA512,
        }
    }

    /// How many bytes its digests have.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Sha224 => 28,
            Self::Sha256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }

    /// `wc_Hash` over all of `data`.
    pub(crate) fn digest(self, data: &[u8]) -> Result<Vec<u8>, i32> {
        let size = u32::try_from(data.len()).map_err(|_| sys::BAD_FUNC_ARG)?;
        let mut digest = vec![0; self.size()];
        // SAFETY: data is readable for `size` bytes, digest writable for its length.
        let code = unsafe {
            sys::wc_Hash(
                self.wolfcrypt_type(),
                data.as_ptr(),
                size,
                digest.as_mut_ptr(),
                digest.len() as u32,
            )
        };
        done(code).map(|()| digest)
    }

    /// `wc_HKDF_Expand` (RFC 5869).
    pub(super) fn hkdf_expand(self, key: &[u8], info: &[u8], out: &mut [u8]) -> Result<(), i32> {
        let size = |bytes: &[u8]| u32::try_from(bytes.len()).map_err(|_| sys::BAD_FUNC_ARG);
        let (key_size, info_size, out_size) = (size(key)?, size(info)?, size(out)?);
        // SAFETY: key and info are readable, out is writable, each for its size.
        done(unsafe {
            sys::wc_HKDF_Expand(
                self.wolfcrypt_type() as c_int,
                key.as_ptr(),
                key_size,
                info.as_ptr(),
                info_size,
                out.as_mut_ptr(),
                out_size,
            )
        })
    }

    /// HKDF-Expand-Label (RFC 8446, section 7.1); `prefix` is `tls13 ` or `dtls13`.
    pub(super) fn expand_label(
        self,
        key: &[u8],
        prefix: &[u8],
        label: &[u8],
        context: &[u8],
        out: &mut [u8],
    ) -> Result<(), i32> {
        let byte = |length: usize| u8::try_from(length).map_err(|_| sys::BAD_FUNC_ARG);
        let size = u16::try_from(out.len()).map_err(|_| sys::BAD_FUNC_ARG)?;
        let mut info = Vec::with_capacity(4 + prefix.len() + label.len() + context.len());
        info.extend_from_slice(&size.to_be_bytes());
        info.push(byte(prefix.len() + label.len())?);
        info.extend_from_slice(prefix);
        info.extend_from_slice(label);
        info.push(byte(context.len())?);
        info.extend_from_slice(context);
        self.hkdf_expand(key, &info, out)
    }

    /// The PRF of TLS 1.2 (RFC 5246, section 5), `wc_PRF`: `wc_PRF_TLS` would limit label
    /// and seed to 128 bytes together.
    pub(super) fn prf(
        self,
        secret: &[u8],
        label: &[u8],
        seed: &[u8],
        out: &mut [u8],
    ) -> Result<(), i32> {
        if out.is_empty() {
            return Ok(()); // wc_PRF refuses it
        }
        let mac = match self {
            Self::Sha384 => sys::sha384_mac,
            _ => sys::sha256_mac,
        };
        let seed = [label, seed].concat();
        let size = |bytes: &[u8]| u32::try_from(bytes.len()).map_err(|_| sys::BAD_FUNC_ARG);
        let (secret_size, seed_size, out_size) = (size(secret)?, size(&seed)?, size(out)?);
        // SAFETY: secret and seed are readable, out is writable, each for its size; neither a
        // heap hint nor a device is given.
        done(unsafe {
            sys::wc_PRF(
                out.as_mut_ptr(),
                out_size,
                secret.as_ptr(),
                secret_size,
                seed.as_ptr(),
                seed_size,
                mac as c_int,
                std::ptr::null_mut(),
                sys::INVALID_DEVID,
            )
        })
    }
}

/// wolfCrypt's functions return 0, or a negative code.
fn done(code: c_int) -> Result<(), i32> {
    if code == 0 { Ok(()) } else { Err(code) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_standard() {
        let abc = Hash::Sha256.digest(b"abc").unwrap();
        assert_eq!(abc[..4], [0xba, 0x78, 0x16, 0xbf]);
        for hash in [Hash::Sha224, Hash::Sha256, Hash::Sha384, Hash::Sha512] {
            assert_eq!(hash.digest(b"").unwrap().len(), hash.size());
        }
    }

    /// RFC 5869, test case 1.
    #[test]
    fn hkdf_expand_gives_the_vector_of_its_rfc() {
        let prk = [
            0x07, 0x77, 0x09, 0x36, 0x2c, 0x2e, 0x32, 0xdf, 0x0d, 0xdc, 0x3f, 0x0d, 0xc4, 0x7b,
            0xba, 0x63, 0x90, 0xb6, 0xc7, 0x3b, 0xb5, 0x0f, 0x9c, 0x31, 0x22, 0xec, 0x84, 0x4a,
            0xd7, 0xc2, 0xb3, 0xe5,
        ];
        let mut out = [0; 42];
        let info = [0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9];
        Hash::Sha256.hkdf_expand(&prk, &info, &mut out).unwrap();
        assert_eq!(out[..4], [0x3c, 0xb2, 0x5f, 0x25]);
        assert_eq!(out[38..], [0x87, 0x18, 0x58, 0x65]);
    }
}
