//! Versions, cipher suites, groups, signature schemes and alerts as types: what cannot be
//! negotiated cannot be written.

use std::fmt;

/// A TLS protocol version.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProtocolVersion {
    /// RFC 5246.
    TLSv1_2,
    /// RFC 8446.
    TLSv1_3,
}

impl ProtocolVersion {
    /// The value on the wire.
    pub fn to_u16(self) -> u16 {
        match self {
            Self::TLSv1_2 => 0x0303,
            Self::TLSv1_3 => 0x0304,
        }
    }

    pub(crate) fn from_u16(value: u16) -> Option<Self> {
        [Self::TLSv1_2, Self::TLSv1_3]
            .into_iter()
            .find(|version| version.to_u16() == value)
    }
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TLSv1_2 => "TLSv1.2",
            Self::TLSv1_3 => "TLSv1.3",
        })
    }
}

/// Writes an enum of wire values whose names are those of IANA's registry.
macro_rules! registry {
    ($(#[$doc:meta])* $name:ident : $int:ty { $($(#[$vdoc:meta])* $variant:ident = $value:literal, $text:literal;)+ }) => {
        $(#[$doc])*
        #[non_exhaustive]
        #[allow(non_camel_case_types)] // IANA's spelling
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$vdoc])* $variant,)+
        }

        impl $name {
            /// Every value that this build can negotiate or name, in the registry's order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The value on the wire.
            pub fn value(self) -> $int {
                match self { $(Self::$variant => $value,)+ }
            }

            /// The registry's name.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// The value with this code point, when it is one of ours.
            pub fn from_value(value: $int) -> Option<Self> {
                match value { $($value => Some(Self::$variant),)+ _ => None }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $name {
            type Err = crate::UnknownName;

            /// Takes the registry's name, in any case.
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::ALL
                    .iter()
                    .copied()
                    .find(|value| value.name().eq_ignore_ascii_case(text))
                    .ok_or_else(|| crate::UnknownName::new(stringify!($name), text))
            }
        }
    };
}

registry! {
    /// A cipher suite: authenticated encryption with forward secrecy, nothing else.
    CipherSuite: u16 {
        /// RFC 8446.
        TLS13_AES_128_GCM_SHA256 = 0x1301, "TLS_AES_128_GCM_SHA256";
        /// RFC 8446.
        TLS13_AES_256_GCM_SHA384 = 0x1302, "TLS_AES_256_GCM_SHA384";
        /// RFC 8446.
        TLS13_CHACHA20_POLY1305_SHA256 = 0x1303, "TLS_CHACHA20_POLY1305_SHA256";
        /// RFC 5289.
        TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 = 0xc02b, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256";
        /// RFC 5289.
        TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 = 0xc02c, "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384";
        /// RFC 5289.
        TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 = 0xc02f, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256";
        /// RFC 5289.
        TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 = 0xc030, "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384";
        /// RFC 7905.
        TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256 = 0xcca8, "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256";
        /// RFC 7905.
        TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 = 0xcca9, "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256";
    }
}

impl CipherSuite {
    /// What a configuration offers unless told otherwise, most preferred first.
    pub const DEFAULT: &'static [Self] = &[
        Self::TLS13_AES_128_GCM_SHA256,
        Self::TLS13_AES_256_GCM_SHA384,
        Self::TLS13_CHACHA20_POLY1305_SHA256,
        Self::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
        Self::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        Self::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
        Self::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        Self::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
        Self::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ];

    /// The version this suite belongs to.
    pub fn version(self) -> ProtocolVersion {
        if self.value() >> 8 == 0x13 {
            ProtocolVersion::TLSv1_3
        } else {
            ProtocolVersion::TLSv1_2
        }
    }
}

registry! {
    /// A key exchange group.
    NamedGroup: u16 {
        /// NIST P-256, RFC 8422.
        secp256r1 = 0x0017, "secp256r1";
        /// NIST P-384, RFC 8422.
        secp384r1 = 0x0018, "secp384r1";
        /// NIST P-521, RFC 8422.
        secp521r1 = 0x0019, "secp521r1";
        /// RFC 7748.
        X25519 = 0x001d, "x25519";
        /// P-256 with ML-KEM-768, draft-ietf-tls-ecdhe-mlkem; TLS 1.3 alone.
        SecP256r1MLKEM768 = 0x11eb, "SecP256r1MLKEM768";
        /// X25519 with ML-KEM-768, draft-ietf-tls-ecdhe-mlkem; TLS 1.3 alone.
        X25519MLKEM768 = 0x11ec, "X25519MLKEM768";
    }
}

impl NamedGroup {
    /// What a configuration offers unless told otherwise, most preferred first.
    pub const DEFAULT: &'static [Self] = &[
        Self::X25519MLKEM768,
        Self::X25519,
        Self::secp256r1,
        Self::secp384r1,
        Self::secp521r1,
    ];

    /// The group that wolfSSL calls by this name.
    pub(crate) fn from_wolfssl_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|group| group.name().eq_ignore_ascii_case(name))
    }

    /// Whether it is a classical group and ML-KEM together.
    pub fn is_hybrid(self) -> bool {
        matches!(self, Self::SecP256r1MLKEM768 | Self::X25519MLKEM768)
    }

    /// Whether only TLS 1.3 can use it.
    pub fn is_tls13_only(self) -> bool {
        matches!(self, Self::SecP256r1MLKEM768 | Self::X25519MLKEM768)
    }
}

registry! {
    /// A signature scheme (RFC 8446, section 4.2.3).
    SignatureScheme: u16 {
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        RSA_PKCS1_SHA256 = 0x0401, "rsa_pkcs1_sha256";
        /// ECDSA, P-256 in TLS 1.3, with SHA-256.
        ECDSA_NISTP256_SHA256 = 0x0403, "ecdsa_secp256r1_sha256";
        /// RSASSA-PKCS1-v1_5 with SHA-384.
        RSA_PKCS1_SHA384 = 0x0501, "rsa_pkcs1_sha384";
        /// ECDSA, P-384 in TLS 1.3, with SHA-384.
        ECDSA_NISTP384_SHA384 = 0x0503, "ecdsa_secp384r1_sha384";
        /// RSASSA-PKCS1-v1_5 with SHA-512.
        RSA_PKCS1_SHA512 = 0x0601, "rsa_pkcs1_sha512";
        /// ECDSA, P-521 in TLS 1.3, with SHA-512.
        ECDSA_NISTP521_SHA512 = 0x0603, "ecdsa_secp521r1_sha512";
        /// RSASSA-PSS with SHA-256 and a plain RSA key.
        RSA_PSS_SHA256 = 0x0804, "rsa_pss_rsae_sha256";
        /// RSASSA-PSS with SHA-384 and a plain RSA key.
        RSA_PSS_SHA384 = 0x0805, "rsa_pss_rsae_sha384";
        /// RSASSA-PSS with SHA-512 and a plain RSA key.
        RSA_PSS_SHA512 = 0x0806, "rsa_pss_rsae_sha512";
        /// Ed25519.
        ED25519 = 0x0807, "ed25519";
        /// Ed448.
        ED448 = 0x0808, "ed448";
        /// RSASSA-PSS with SHA-256 and an RSA-PSS key.
        RSA_PSS_PSS_SHA256 = 0x0809, "rsa_pss_pss_sha256";
        /// RSASSA-PSS with SHA-384 and an RSA-PSS key.
        RSA_PSS_PSS_SHA384 = 0x080a, "rsa_pss_pss_sha384";
        /// RSASSA-PSS with SHA-512 and an RSA-PSS key.
        RSA_PSS_PSS_SHA512 = 0x080b, "rsa_pss_pss_sha512";
        /// ML-DSA-44, draft-ietf-tls-mldsa; TLS 1.3 alone.
        ML_DSA_44 = 0x0904, "mldsa44";
        /// ML-DSA-65, draft-ietf-tls-mldsa; TLS 1.3 alone.
        ML_DSA_65 = 0x0905, "mldsa65";
        /// ML-DSA-87, draft-ietf-tls-mldsa; TLS 1.3 alone.
        ML_DSA_87 = 0x0906, "mldsa87";
    }
}

impl SignatureScheme {
    /// What a configuration offers and accepts unless told otherwise, most preferred first.
    pub const DEFAULT: &'static [Self] = &[
        Self::ECDSA_NISTP256_SHA256,
        Self::ECDSA_NISTP384_SHA384,
        Self::ECDSA_NISTP521_SHA512,
        Self::ED25519,
        Self::ED448,
        Self::RSA_PSS_SHA256,
        Self::RSA_PSS_SHA384,
        Self::RSA_PSS_SHA512,
        Self::RSA_PSS_PSS_SHA256,
        Self::RSA_PSS_PSS_SHA384,
        Self::RSA_PSS_PSS_SHA512,
        Self::ML_DSA_44,
        Self::ML_DSA_65,
        Self::ML_DSA_87,
        Self::RSA_PKCS1_SHA256,
        Self::RSA_PKCS1_SHA384,
        Self::RSA_PKCS1_SHA512,
    ];
}

registry! {
    /// An alert (RFC 8446, section 6).
    AlertDescription: u8 {
        /// The peer will send no more.
        CloseNotify = 0, "close_notify";
        /// A message came that does not belong here.
        UnexpectedMessage = 10, "unexpected_message";
        /// A record could not be authenticated.
        BadRecordMac = 20, "bad_record_mac";
        /// A record was too long.
        RecordOverflow = 22, "record_overflow";
        /// No parameters in common.
        HandshakeFailure = 40, "handshake_failure";
        /// TLS 1.2: no certificate.
        NoCertificate = 41, "no_certificate";
        /// A certificate was corrupt or refused.
        BadCertificate = 42, "bad_certificate";
        /// A certificate of a type that is not supported.
        UnsupportedCertificate = 43, "unsupported_certificate";
        /// A certificate was revoked.
        CertificateRevoked = 44, "certificate_revoked";
        /// A certificate has expired or is not valid yet.
        CertificateExpired = 45, "certificate_expired";
        /// A certificate was refused for another reason.
        CertificateUnknown = 46, "certificate_unknown";
        /// A field was out of range or inconsistent.
        IllegalParameter = 47, "illegal_parameter";
        /// No trust anchor was found.
        UnknownCA = 48, "unknown_ca";
        /// Access control refused.
        AccessDenied = 49, "access_denied";
        /// A message could not be decoded.
        DecodeError = 50, "decode_error";
        /// A handshake signature, binder or Finished was wrong.
        DecryptError = 51, "decrypt_error";
        /// No version in common.
        ProtocolVersion = 70, "protocol_version";
        /// The parameters are too weak.
        InsufficientSecurity = 71, "insufficient_security";
        /// An error that has nothing to do with the peer.
        InternalError = 80, "internal_error";
        /// A downgraded retry was noticed (RFC 7507).
        InappropriateFallback = 86, "inappropriate_fallback";
        /// The user gave up.
        UserCanceled = 90, "user_canceled";
        /// TLS 1.2: renegotiation refused.
        NoRenegotiation = 100, "no_renegotiation";
        /// A mandatory extension is missing.
        MissingExtension = 109, "missing_extension";
        /// An extension came that was not asked for.
        UnsupportedExtension = 110, "unsupported_extension";
        /// No server with that name here.
        UnrecognizedName = 112, "unrecognized_name";
        /// The OCSP response was bad.
        BadCertificateStatusResponse = 113, "bad_certificate_status_response";
        /// No such PSK identity.
        UnknownPskIdentity = 115, "unknown_psk_identity";
        /// A client certificate is required.
        CertificateRequired = 116, "certificate_required";
        /// No application protocol in common (RFC 7301).
        NoApplicationProtocol = 120, "no_application_protocol";
        /// Encrypted Client Hello is required (RFC 9849).
        EchRequired = 121, "ech_required";
    }
}
