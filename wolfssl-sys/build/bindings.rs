//! Generates the raw bindings from the headers of this very build: its
//! options.h, and beside it every macro that options.h does not carry.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::cmake::{self, Built};
use crate::proof::Evidence;
use crate::request::Target;

/// The headers that are bound.
const HEADERS: &[&str] = &[
    "wolfssl/ssl.h",
    "wolfssl/error-ssl.h",
    "wolfssl/wolfio.h",
    "wolfssl/ocsp.h",
    "wolfssl/wolfcrypt/types.h",
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
];

const FUNCTIONS: &str =
    "wolfssl_rs_.*|wolf(SSL|TLS|DTLS|Crypt)_?.*|wc_.*|cpuid_.*|GetPkcs8TraditionalOffset";
const TYPES: &str = "wolfCrypt_ErrorCodes|IOerrors|WOLFSSL_.*|wolfSSL_.*|wc_.*|.*Callback.*|Callback.*|psk_.*|Sniffer.*|AlertLevel|AlertDescription";
const CONSTANTS: &str = "WOLFSSL_.*|wolfSSL_.*|WOLFTLS_.*|WC_.*|wc_.*|.*_E|.*_ERROR|CPUID_.*|ECC_.*|MAX_.*|AES_.*|RSA_.*|\
                         DYNAMIC_TYPE_.*|CTC_.*|SESSION_TICKET.*|PSK_.*|EARLY_DATA.*|NO_.*_CB|CERTTYPE_.*";
/// wolfSSL's own structs are handled by pointer only; these few are plain
/// parts of its public interface and may be read.
const TRANSPARENT: &[&str] = &[
    "WOLFSSL_ALERT",
    "WOLFSSL_ALERT_HISTORY",
    "WOLFSSL_BUFFER_INFO",
    "WOLFSSL_X509_STORE_CTX",
    "WOLFSSL_STACK",
];

/// The header that makes a C file see what the library saw.
pub fn write_wrapper(evidence: &Evidence, out_dir: &Path) -> Result<PathBuf, String> {
    let mut text = String::from(
        "/* Generated: the macros of this build, then its headers. */\n#include <wolfssl/options.h>\n",
    );
    for (name, value) in &evidence.macros {
        // Of the compiler's own business, or of the library's sources alone.
        if evidence.options.contains_key(name)
            || ["BUILDING_WOLFSSL", "HAVE_CONFIG_H", "NDEBUG"].contains(&name.as_str())
        {
            continue;
        }
        let _ = write!(text, "#ifndef {name}\n#define {name} {value}\n#endif\n");
    }
    for header in HEADERS {
        let _ = writeln!(text, "#include <{header}>");
    }
    text.push_str("#include \"wolfssl_rs_shim.h\"\n");
    let path = out_dir.join("wrapper.h");
    fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

/// What a run of bindgen takes.
pub struct Job<'a> {
    pub wrapper: &'a Path,
    pub source: &'a Path,
    pub built: &'a Built,
    pub target: &'a Target,
    pub compiler: &'a cc::Tool,
    /// The compiler's own headers, for a libclang that comes without any.
    pub builtin_headers: Option<PathBuf>,
}

/// Writes the bindings to `destination`.
pub fn generate(job: &Job<'_>, destination: &Path) -> Result<(), String> {
    let transparent = TRANSPARENT.join("|");
    let mut builder = bindgen::Builder::default()
        .header(job.wrapper.display().to_string())
        .clang_arg(format!("--target={}", clang_triple(&job.target.triple)))
        .clang_arg(format!("-I{}", job.built.dir.display()))
        .clang_arg(format!("-I{}", job.source.display()))
        .clang_arg(format!("-I{}", cmake::shim_dir().display()))
        .allowlist_function(FUNCTIONS)
        .allowlist_type(TYPES)
        .allowlist_type(&transparent)
        .allowlist_var(CONSTANTS)
        .default_enum_style(bindgen::EnumVariation::Consts)
        .prepend_enum_name(false)
        .default_macro_constant_type(bindgen::MacroTypeVariation::Signed)
        .generate_comments(false)
        .merge_extern_blocks(true)
        .rust_edition(bindgen::RustEdition::Edition2024)
        .wrap_unsafe_ops(true)
        .use_core()
        .ctypes_prefix("::core::ffi");
    for argument in sysroot_arguments(job.compiler) {
        builder = builder.clang_arg(argument);
    }
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

/// bindgen panics without libclang; asked for here first, to say so in a line.
pub fn check_libclang() -> Result<(), String> {
    std::panic::set_hook(Box::new(|_| {}));
    let result = std::panic::catch_unwind(bindgen::clang_version);
    let _ = std::panic::take_hook();
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
