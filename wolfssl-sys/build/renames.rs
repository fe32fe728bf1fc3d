//! Some of wolfSSL's internal functions bear names of the kind that OpenSSL
//! and its relatives use. A program may hold both, so a header that is read
//! before every file, C and assembly, gives them wolfCrypt's prefix.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Defined in C, and not covered by wolfSSL's own `WOLFSSL_API_PREFIX_MAP`.
const IN_C: &[&str] = &[
    "AES_GCM_decrypt_C",
    "AES_GCM_encrypt_C",
    "SSL_CtxResourceFree",
    "TLS_hmac",
];

/// What OpenSSL, its forks and their assembly call their own.
const FOREIGN: &[&str] = &[
    "AES_", "BIO_", "BN_", "CRYPTO_", "DH_", "DSA_", "EC_", "ECDH_", "ECDSA_", "ERR_", "EVP_",
    "GCM_", "HMAC_", "MD5_", "OCSP_", "OPENSSL_", "PEM_", "PKCS12_", "PKCS7_", "RAND_", "RSA_",
    "SHA1_", "SHA256_", "SHA512_", "SSL_", "TLS_", "X509_", "d2i_", "i2d_",
];

/// Whether a symbol's name looks like another library's.
pub fn is_foreign(symbol: &str) -> bool {
    let name = symbol.strip_prefix('_').unwrap_or(symbol); // Mach-O puts one before each
    FOREIGN.iter().any(|prefix| name.starts_with(prefix))
}

/// Writes the header for the tree at `source` and returns its path.
pub fn write(source: &Path, out_dir: &Path) -> Result<PathBuf, String> {
    let path = out_dir.join("renames.h");
    let text = header(source).map_err(|error| format!("{}: {error}", source.display()))?;
    // Left alone when it is right: every object depends on it.
    if fs::read_to_string(&path).is_ok_and(|before| before == text) {
        return Ok(path);
    }
    fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

fn header(source: &Path) -> std::io::Result<String> {
    let mut names: BTreeSet<String> = IN_C.iter().map(|name| (*name).to_owned()).collect();
    for folder in ["wolfcrypt/src", "wolfcrypt/src/port/arm"] {
        for entry in fs::read_dir(source.join(folder))? {
            let path = entry?.path();
            let is_assembly = path.extension().is_some_and(|extension| extension == "S");
            if is_assembly
                && path
                    .file_name()
                    .is_some_and(|name| name.to_string_lossy().contains("aes"))
            {
                names.extend(foreign_globals(&fs::read_to_string(&path)?));
            }
        }
    }
    let mut text =
        String::from("/* Generated: gives functions of wolfSSL's a prefix of its own. */\n");
    for name in &names {
        let _ = writeln!(text, "#define {name} wc_{name}");
    }
    // C names some of them to the linker in quotes, where no macro reaches.
    text.push_str("#define XASM_LINK(name)\n");
    // Apple's assembler takes C's names with an underscore before them.
    text.push_str("#if defined(__APPLE__) && defined(__ASSEMBLER__)\n");
    for name in &names {
        let _ = writeln!(text, "#define _{name} _wc_{name}");
    }
    text.push_str("#endif\n");
    Ok(text)
}

fn foreign_globals(assembly: &str) -> impl Iterator<Item = String> {
    let names = assembly
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix(".globl"));
    names
        .map(|name| name.trim().trim_start_matches('_'))
        .filter(|name| is_foreign(name))
        .map(str::to_owned)
}
