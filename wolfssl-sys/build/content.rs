//! The protocol content: what every build contains, whatever its features.
//! wolfSSL's CMake options first, then the macros that it has no option for.

/// Options of wolfSSL's CMakeLists.txt. CMake must know each of them: the
/// proof fails if one ends up in the cache without a declaration.
pub const OPTIONS: &[(&str, &str)] = &[
    // Shape of the build.
    ("BUILD_SHARED_LIBS", "OFF"),
    ("WOLFSSL_INSTALL", "no"),
    ("WOLFSSL_EXAMPLES", "no"),
    ("WOLFSSL_CRYPT_TESTS", "no"),
    ("WOLFSSL_BUILD_OUT_OF_TREE", "yes"),
    // wolfSSL's headers must not claim OpenSSL's names.
    ("WOLFSSL_OLDNAMES", "no"),
    // Versions and extensions.
    ("WOLFSSL_TLS13", "yes"),
    ("WOLFSSL_TLSV12", "yes"),
    ("WOLFSSL_OLD_TLS", "no"),
    ("WOLFSSL_TLS13_MIDDLEBOX_COMPAT", "yes"),
    ("WOLFSSL_SNI", "yes"),
    ("WOLFSSL_ALPN", "yes"),
    ("WOLFSSL_SUPPORTED_CURVES", "yes"),
    ("WOLFSSL_EXTENDED_MASTER", "yes"),
    ("WOLFSSL_ENC_THEN_MAC", "yes"),
    ("WOLFSSL_SESSION_TICKET", "yes"),
    ("WOLFSSL_TICKET_NONCE_MALLOC", "yes"), // peers choose how long a nonce is
    ("WOLFSSL_EARLYDATA", "yes"),
    ("WOLFSSL_POSTAUTH", "yes"),
    ("WOLFSSL_KEYING_MATERIAL", "yes"),
    ("WOLFSSL_HPKE", "yes"),
    ("WOLFSSL_DTLS", "yes"),
    ("WOLFSSL_DTLS13", "yes"),
    ("WOLFSSL_DTLS_CID", "yes"),
    ("WOLFSSL_DTLS_CH_FRAG", "yes"),
    ("WOLFSSL_DTLS_MTU", "yes"),
    ("WOLFSSL_HRR_COOKIE", "yes"),
    // Certificates and keys.
    ("WOLFSSL_IP_ALT_NAME", "yes"),
    ("WOLFSSL_ALT_CERT_CHAINS", "yes"),
    ("WOLFSSL_CRL", "yes"),
    ("WOLFSSL_OCSP", "yes"),
    ("WOLFSSL_OCSPSTAPLING", "yes"),
    ("WOLFSSL_OCSPSTAPLING_V2", "yes"),
    ("WOLFSSL_PKCALLBACKS", "yes"),
    ("WOLFSSL_ENCKEYS", "yes"),
    ("WOLFSSL_PWDBASED", "yes"),
    ("WOLFSSL_PKCS12", "no"),
    ("WOLFSSL_ASN_PRINT", "no"),
    // Off: it embeds nine certificates by value in every session. The peer's
    // chain comes from the verify callback instead.
    ("WOLFSSL_SESSIONCERTS", "no"),
    // Off: it changes what happens on failure.
    ("WOLFSSL_OPENSSLEXTRA", "no"),
    ("WOLFSSL_OPENSSLALL", "no"),
    // Off: the system's roots are read in Rust, the same way on every system,
    // and on Apple's it would let the system overrule the verdict.
    ("WOLFSSL_SYS_CA_CERTS", "no"),
    // RSA to 4096 bits on every target; the default depends on the machine.
    ("WOLFSSL_MAX_RSA_BITS", "4096"),
    // Algorithms. Several defaults depend on the machine: they are all said.
    ("WOLFSSL_CURVE25519", "yes"),
    ("WOLFSSL_ED25519", "yes"),
    ("WOLFSSL_CURVE448", "yes"),
    ("WOLFSSL_ED448", "yes"),
    ("WOLFSSL_MLKEM", "yes"),
    ("WOLFSSL_PQC_HYBRIDS", "yes"),
    ("WOLFSSL_MLDSA", "yes"),
    ("WOLFSSL_AESCBC", "yes"),
    ("WOLFSSL_AESCCM", "yes"),
    ("WOLFSSL_AESGCM", "yes"),
    ("WOLFSSL_CHACHA", "yes"),
    ("WOLFSSL_POLY1305", "yes"),
    ("WOLFSSL_MD5", "yes"),
    ("WOLFSSL_SHA", "yes"),
    ("WOLFSSL_SHA224", "yes"),
    ("WOLFSSL_SHA3", "yes"),
    ("WOLFSSL_SHAKE128", "yes"),
    ("WOLFSSL_SHAKE256", "yes"),
    ("WOLFSSL_BASE64_ENCODE", "yes"),
    // Threads. A generator is never shared between threads here, so its lock
    // goes; a forked child is told by its process id and seeds anew, so the
    // fork handlers go, too. Both cost time in every handshake.
    ("WOLFSSL_SINGLE_THREADED", "no"),
    ("WOLFSSL_RWLOCK", "yes"),
    ("WOLFSSL_WRITEDUP", "yes"),
    ("WOLFSSL_EX_DATA", "yes"),
    ("WOLFSSL_RNG_AUTOLOCK", "no"),
    ("WOLFSSL_RNG_AUTOFORK", "no"),
];

/// Variables that wolfSSL's CMakeLists.txt reads without declaring them. The
/// macros they bring or take away are what proves that they had their effect.
pub const RAW_VARIABLES: &[(&str, &str)] = &[("WOLFSSL_PSK", "yes")];

/// Macros without an option, for every target.
pub const MACROS: &[&str] = &[
    "HAVE_ECH",       // the option would switch middlebox compatibility off
    "HAVE_EXT_CACHE", // sessions as bytes
    "HAVE_SECRET_CALLBACK",
    "HAVE_RPK",
    "HAVE_MAX_FRAGMENT",
    "HAVE_SERVER_RENEGOTIATION_INFO", // RFC 5746, or strict clients refuse TLS 1.2
    "HAVE_ECC384",
    "HAVE_ECC521",
    "WOLFSSL_ALWAYS_VERIFY_CB", // the peer's chain also when all is well
    "WOLFSSL_SET_CIPHER_BYTES", // suites by code point, not by name
    "WOLFSSL_ALWAYS_KEEP_SNI",  // a server can ask which name came
    "WOLFSSL_EXTRA_ALERTS",     // tell the peer why
    "WOLFSSL_CHECK_ALERT_ON_ERR",
    "WOLFSSL_TLS13_TICKET_CHECK_PSK_MODES", // no ticket to who cannot use it
    "WOLFSSL_HAVE_TLS_UNIQUE",              // a channel binding of TLS 1.2
    "WOLFSSL_API_PREFIX_MAP",               // no OpenSSL-like names among the symbols
];

/// Macros that no build may have: each would change what the API promises.
pub const ABSENT_MACROS: &[&str] = &[
    "OPENSSL_EXTRA",
    "OPENSSL_ALL",
    "SESSION_CERTS",
    "KEEP_PEER_CERT",
    "NO_PSK",
    "SINGLE_THREADED",
    "WOLFSSL_ALLOW_TLSV10",
    "WOLFSSL_STATIC_RSA",
    "HAVE_NULL_CIPHER",
    "HAVE_ANON",
    "WC_NO_HARDEN",
    "WOLFSSL_KEYLOG_EXPORT_WARNED",
];
