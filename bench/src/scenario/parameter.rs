//! The parameters a TLS scenario pins, each with its stable label and its code point on the wire.

/// Declares an enum whose variants carry a label (used in scenario ids) and a wire code point.
macro_rules! parameter {
    (
        $(#[$meta:meta])*
        $name:ident { $( $(#[$variant_meta:meta])* $variant:ident = $label:literal, $code:expr; )+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $( $(#[$variant_meta])* $variant, )+ }

        impl $name {
            /// Every value, in the order of the catalogue.
            pub const ALL: &'static [Self] = &[ $( Self::$variant, )+ ];

            /// The label used in scenario ids.
            pub fn label(self) -> &'static str {
                match self { $( Self::$variant => $label, )+ }
            }

            /// The value with this label.
            pub fn from_label(label: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.label() == label)
            }
        }

        impl CodePoint for $name {
            fn code_point(self) -> u16 {
                match self { $( Self::$variant => $code, )+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.label())
            }
        }
    };
}

/// What the value looks like in a TLS message.
pub trait CodePoint {
    /// The IANA code point. For [`KeyKind`] it is that of the signature scheme used with it.
    fn code_point(self) -> u16;
}

parameter! {
    /// A protocol version.
    TlsVersion {
        /// TLS 1.2, RFC 5246.
        Tls12 = "tls1.2", 0x0303;
        /// TLS 1.3, RFC 8446.
        Tls13 = "tls1.3", 0x0304;
    }
}

parameter! {
    /// The key of the certificates: both the CA's and the leaf's are of this kind.
    KeyKind {
        /// ECDSA over P-256 with SHA-256.
        EcdsaP256 = "ecdsa-p256", 0x0403;
        /// RSA with a modulus of 2048 bits.
        Rsa2048 = "rsa-2048", 0x0804;
    }
}

parameter! {
    /// A key exchange group.
    Group {
        /// Curve25519, RFC 7748.
        X25519 = "x25519", 0x001d;
    }
}

parameter! {
    /// An AEAD; the code point is that of the TLS 1.3 suite.
    Cipher {
        /// AES-128-GCM.
        Aes128Gcm = "aes-128-gcm", 0x1301;
        /// ChaCha20-Poly1305.
        Chacha20Poly1305 = "chacha20-poly1305", 0x1303;
    }
}

impl Cipher {
    /// The one suite that joins this cipher with `version` and, for TLS 1.2, with `key`.
    pub fn suite(self, version: TlsVersion, key: KeyKind) -> u16 {
        match (version, self, key) {
            (TlsVersion::Tls13, cipher, _) => cipher.code_point(),
            (TlsVersion::Tls12, Self::Aes128Gcm, KeyKind::EcdsaP256) => 0xc02b,
            (TlsVersion::Tls12, Self::Aes128Gcm, KeyKind::Rsa2048) => 0xc02f,
            (TlsVersion::Tls12, Self::Chacha20Poly1305, KeyKind::EcdsaP256) => 0xcca9,
            (TlsVersion::Tls12, Self::Chacha20Poly1305, KeyKind::Rsa2048) => 0xcca8,
        }
    }
}

/// The IANA name of a suite this project uses, or its number in hexadecimal.
pub fn suite_name(code: u16) -> String {
    let name = match code {
        0x1301 => "TLS_AES_128_GCM_SHA256",
        0x1303 => "TLS_CHACHA20_POLY1305_SHA256",
        0xc02b => "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
        0xc02f => "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        0xcca9 => "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
        0xcca8 => "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
        other => return format!("{other:#06x}"),
    };
    name.to_owned()
}

/// The RFC 8446 name of a signature scheme this project uses, or its number in hexadecimal.
pub fn signature_scheme_name(code: u16) -> String {
    let name = match code {
        0x0401 => "rsa_pkcs1_sha256",
        0x0403 => "ecdsa_secp256r1_sha256",
        0x0501 => "rsa_pkcs1_sha384",
        0x0601 => "rsa_pkcs1_sha512",
        0x0804 => "rsa_pss_rsae_sha256",
        0x0805 => "rsa_pss_rsae_sha384",
        0x0806 => "rsa_pss_rsae_sha512",
        other => return format!("{other:#06x}"),
    };
    name.to_owned()
}

/// The label of a protocol version, or its number in hexadecimal.
pub fn version_name(code: u16) -> String {
    name_of(TlsVersion::ALL, TlsVersion::label, code)
}

/// The label of a group, or its number in hexadecimal.
pub fn group_name(code: u16) -> String {
    name_of(Group::ALL, Group::label, code)
}

fn name_of<T: CodePoint + Copy>(all: &[T], label: fn(T) -> &'static str, code: u16) -> String {
    all.iter()
        .find(|value| value.code_point() == code)
        .map_or_else(|| format!("{code:#06x}"), |value| label(*value).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_are_the_iana_numbers() {
        let gcm = Cipher::Aes128Gcm;
        assert_eq!(gcm.suite(TlsVersion::Tls13, KeyKind::Rsa2048), 0x1301);
        assert_eq!(
            suite_name(gcm.suite(TlsVersion::Tls12, KeyKind::EcdsaP256)),
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"
        );
        assert_eq!(
            suite_name(Cipher::Chacha20Poly1305.suite(TlsVersion::Tls12, KeyKind::Rsa2048)),
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"
        );
    }

    #[test]
    fn an_unknown_code_point_shows_its_number() {
        assert_eq!(version_name(0x0302), "0x0302");
        assert_eq!(group_name(0x0017), "0x0017");
        assert_eq!(suite_name(0x00ff), "0x00ff");
    }
}
