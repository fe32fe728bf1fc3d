//! Generates the raw bindings from the headers of this very build: its
//! options.h, and beside it every macro that options.h does not carry. Only
//! functions that the library defines are bound, as wolfSSL's headers declare
//! more than a build contains.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::panic;
use std::path::{Path, PathBuf};

use crate::proof::Evidence;
use crate::request::Target;

/// The headers that are bound.
const HEADERS: &[&str] = &[
    "wolfssl/ssl.h",
    "wolfssl/error-ssl.h",
    "wolfssl/wolfio.h",
    "wolfssl/ocsp.h",
    "wolfssl/wolfcrypt/error-crypt.h",
    "wolfssl/wolfcrypt/memory.h",
    "wolfssl/wolfcrypt/cpuid.h",
    "wolfssl/wolfcrypt/random.h",
    "wolfssl/wolfcrypt/hash.h",
    "wolfssl/wolfcrypt/md5.h",
    "wolfssl/wolfcrypt/sha.h",
    "wolfssl/wolfcrypt/sha256.h",
    "wolfssl/wolfcrypt/sha512.h",
    "wolfssl/wolfcrypt/sha3.h",
    "wolfssl/wolfcrypt/hmac.h",
    "wolfssl/wolfcrypt/kdf.h",
    "wolfssl/wolfcrypt/kdf.h",
    "wolfssl/wolfcrypt/aes.h",
    "wolfssl/wolfcrypt/chacha.h",
    "wolfssl/wolfcrypt/poly1305.h",
    "wolfssl/wolfcrypt/chacha20_poly1305.h",
    "wolfssl/wolfcrypt/asn.h",
    "wolfssl/wolfcrypt/asn_public.h",
    "wolfssl/wolfcrypt/rsa.h",
    "wolfssl/wolfcrypt/dh.h",
    "wolfssl/wolfcrypt/ecc.h",
    "wolfssl/wolfcrypt/curve25519.h",
    "wolfssl/wolfcrypt/ed25519.h",
    "wolfssl/wolfcrypt/curve448.h",
    "wolfssl/wolfcrypt/ed448.h",
    "wolfssl/wolfcrypt/wc_mlkem.h",
    "wolfssl/wolfcrypt/wc_mldsa.h",
    "wolfssl/wolfcrypt/hpke.h",
    "wolfssl/wolfcrypt/signature.h",
    "wolfssl_rs_shim.h",
];

/// Names that belong to wolfSSL's interface.
const FUNCTION_PREFIXES: &[&str] = &[
    "wolfSSL_",
    "wolfTLS",
    "wolfDTLS",
    "wolfCrypt_",
    "wc_",
    "cpuid_",
    "wolfssl_rs_",
];
/// Functions on C's own files and folders, which Rust does better.
const UNBOUND: &str = "wc_ReadDir.*|wc_File.*|wc_fopen.*|wolfSSL_.*_fp";
/// Defined twice, with another value each time, of which bindgen takes the first.
const AMBIGUOUS: &str = "WC_MAX_BLOCK_SIZE";
/// Named enums and callback types; structs follow from the functions.
const TYPES: &str = "wolfSSL_ErrorCodes|Tls13Secret|wolfCrypt_ErrorCodes|IOerrors|Alert(Level|Description)|wc_.*Type|wc_MACAlgorithm|ecc_curve_ids|TicketEncRet|\
                     .*Callback.*|.*_cb|.*Cb|wc_psk_.*";
const CONSTANTS: &str = "WOLFSSL_.*|wolfSSL_.*|WOLFTLS_.*|WC_.*|wc_.*|.*_E|.*_ERROR|CPUID_.*|ECC_.*|MAX_.*|AES_.*|RSA_.*|\
                         DYNAMIC_TYPE_.*|CTC_.*|SESSION_TICKET.*|PSK_.*|EARLY_DATA.*|NO_.*_CB|CERTTYPE_.*|CHACHA20_.*|INVALID_DEVID";
/// Plain parts of wolfSSL's public interface, whose fields may be read.
const TRANSPARENT: &[&str] = &[
    "WOLFSSL_ALERT",
    "WOLFSSL_ALERT_HISTORY",
    "WOLFSSL_BUFFER_INFO",
    "WOLFSSL_CRYPTO_EX_DATA",
    "WOLFSSL_X509_STORE_CTX",
];
/// All others are handled by pointer: their layout is the build's affair.
const OPAQUE: &str = "Aes|Gcm|Gmac|ChaCha.*|Poly1305|Hmac|Hpke.*|MlKemKey|RsaKey|Dh(Key|Params)|ecc_.*|ECPoint|ed(25519|448)_key|\
                      curve(25519|448)_.*|wc_(Md5|Sha|Sha256|Sha512|Sha3|Hashes|HashAlg|MlDsa.*|DerCertList)|WC_RNG|OS_Seed|sp_int|\
                      DecodedCert|Signer|SignatureCtx|Cert|tagCertAttribute|CertStatus|Ocsp.*|DNS_entry|Base_entry|EncodedName|EncryptedInfo|\
                      DerBuffer|WOLFSSL_(EVP|ASN1|GENERAL|NAME|DIST|ACCESS|X509V3|X509_ATTRIBUTE|AIA|BUF_MEM|STACK).*|\
                      wolfSSL_(Ref|RefWithMutex|Mutex|RwLock)|COND_TYPE|wc_init_state.*|pthread_.*|__pthread_.*|__atomic_.*|__cancel_jmp_buf_tag|tm|timeval|stat|dirent|_IO_FILE|ReadDirCtx|.*__bindgen_ty_[0-9]+";

/// The header that makes a C file see what the library saw.
pub fn write_wrapper(evidence: &Evidence, out_dir: &Path) -> Result<PathBuf, String> {
    // The compiler's own business, or that of the library's sources alone.
    const PRIVATE: &[&str] = &["BUILDING_WOLFSSL", "HAVE_CONFIG_H", "NDEBUG"];
    let mut text = String::from(
        "/* Generated: the macros of this build, then its headers. */\n#include <wolfssl/options.h>\n",
    );
    for (name, value) in &evidence.macros {
        if !evidence.options.contains_key(name) && !PRIVATE.contains(&name.as_str()) {
            let _ = write!(text, "#ifndef {name}\n#define {name} {value}\n#endif\n");
        }
    }
    for header in HEADERS {
        let _ = writeln!(text, "#include <{header}>");
    }
    let path = out_dir.join("wrapper.h");
    fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

/// What a run of bindgen takes.
pub struct Job<'a> {
    pub wrapper: &'a Path,
    pub include_dirs: &'a [PathBuf],
    pub target: &'a Target,
    pub compiler: &'a cc::Tool,
    /// The compiler's own headers, for a libclang that comes without any.
    pub builtin_headers: Option<PathBuf>,
    /// The symbols of the library.
    pub symbols: &'a BTreeSet<String>,
}

/// Writes the bindings to `destination`.
pub fn generate(job: &Job<'_>, destination: &Path) -> Result<(), String> {
    // The workspace's oldest supported release, not the one that builds today.
    let rust_target =
        bindgen::RustTarget::stable(88, 0).map_err(|error| format!("bindgen: {error}"))?;
    let mut builder = bindgen::Builder::default()
        .header(job.wrapper.display().to_string())
        .clang_arg(format!("--target={}", clang_triple(&job.target.triple)))
        .clang_args(
            job.include_dirs
                .iter()
                .map(|dir| format!("-I{}", dir.display())),
        )
        .clang_args(sysroot_arguments(job.compiler))
        .allowlist_function(functions(job.symbols))
        .blocklist_function(UNBOUND)
        .blocklist_var(AMBIGUOUS)
        .allowlist_type(TYPES)
        .allowlist_type(TRANSPARENT.join("|"))
        .allowlist_var(CONSTANTS)
        .allowlist_type(OPAQUE)
        .opaque_type(OPAQUE)
        .default_enum_style(bindgen::EnumVariation::Consts)
        .prepend_enum_name(false)
        .default_macro_constant_type(bindgen::MacroTypeVariation::Signed)
        .generate_comments(false)
        .merge_extern_blocks(true)
        .rust_target(rust_target)
        .rust_edition(bindgen::RustEdition::Edition2024)
        .wrap_unsafe_ops(true)
        .use_core();
    if let Some(dir) = &job.builtin_headers {
        builder = builder
            .clang_arg("-idirafter")
            .clang_arg(dir.display().to_string());
    }
    let bindings = builder
        .generate()
        .map_err(|error| format!("bindgen failed: {error}"))?;
    bindings
        .write_to_file(destination)
        .map_err(|error| format!("{}: {error}", destination.display()))
}

/// The functions of wolfSSL's interface that the library really defines.
fn functions(symbols: &BTreeSet<String>) -> String {
    let name = |symbol: &String| {
        let plain = FUNCTION_PREFIXES
            .iter()
            .any(|prefix| symbol.starts_with(prefix));
        let name = if plain {
            symbol
        } else {
            symbol.strip_prefix('_')?
        };
        FUNCTION_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
            .then(|| name.to_owned())
    };
    symbols
        .iter()
        .filter_map(name)
        .collect::<Vec<_>>()
        .join("|")
}

/// bindgen panics without libclang; asked for here first, to say so in a line.
pub fn check_libclang() -> Result<(), String> {
    let default_hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(bindgen::clang_version);
    panic::set_hook(default_hook);
    result.map(drop).map_err(|_| {
        "cannot load libclang, which reads wolfSSL's headers: install libclang (Debian: libclang-dev), \
         or set LIBCLANG_PATH to the folder of libclang.so; `cargo xtask setup` brings a private copy"
            .to_owned()
    })
}

/// Rust's names of architectures, where clang has its own.
fn clang_triple(triple: &str) -> String {
    triple.replacen("riscv64gc-", "riscv64-", 1)
}

/// Where the C compiler's flags name another root, clang has to look there, too.
fn sysroot_arguments(compiler: &cc::Tool) -> Vec<String> {
    let arguments = compiler
        .args()
        .iter()
        .filter_map(|argument| argument.to_str());
    arguments
        .filter(|argument| argument.starts_with("--sysroot"))
        .map(str::to_owned)
        .collect()
}
