//! Algorithms give the published answers, whatever machine code this build chose for them.
//!
//! Short vectors come from the RFCs and from the GCM specification. The long ones cross every
//! block and loop boundary of assembly code: the SHA-256 over all results for a list of lengths,
//! computed with OpenSSL (aead, SHA-256, ECDH, RSA) by way of Python's `cryptography` package.

mod wolfcrypt;

use wolfcrypt::{
    aes_gcm_seal, chacha_seal, digest, p256_agree, p256_key, p256_sign, p256_verifies, rng,
    rsa_key, rsa_sign, rsa_verify, x25519_multiply,
};

/// Around the sizes of blocks, of unrolled loops, and of a full TLS record.
const LENGTHS: [usize; 22] = [
    0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 1024, 4097, 16384,
    16389,
];
const AAD: &[u8] = b"known answers";

#[test]
fn sha256() {
    let abc = digest(b"abc");
    assert_eq!(
        hex(&abc),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "FIPS 180-2, appendix B.1"
    );
    let all: Vec<u8> = LENGTHS
        .iter()
        .flat_map(|length| digest(&data(*length)))
        .collect();
    assert_eq!(
        hex(&digest(&all)),
        "82f103fbf7f1be3c9bc8f5ffe38a84094d7be064f9ee59f20bc1b7ded86b64ba"
    );
}

#[test]
fn aes_gcm() {
    let key = bytes("feffe9928665731c6d6a8f9467308308");
    let nonce = bytes("cafebabefacedbaddecaf888");
    let aad = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2");
    let text = bytes(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e24\
         49a6b525b16aedf5aa0de657ba637b39",
    );
    assert_eq!(
        hex(&aes_gcm_seal(&key, &nonce, &aad, &text)),
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5a\
         ac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47",
        "the GCM specification, test case 4"
    );
    for (size, expected) in [
        (
            16,
            "477acdfe6ea26a87a29cce48fea4496209a44f290043ac06edc8c7c7143bc888",
        ),
        (
            32,
            "8e735c66af1ea480056a46880aeb7aac7904bf05dcedc476adfac6aef127b630",
        ),
    ] {
        let key: Vec<u8> = (0..size).collect();
        assert_eq!(
            over_lengths(|text| aes_gcm_seal(&key, &nonce_of_ours(), AAD, text)),
            expected
        );
    }
}

#[test]
fn chacha20_poly1305() {
    let key: [u8; 32] = std::array::from_fn(|at| 0x80 + at as u8);
    let nonce = bytes("070000004041424344454647");
    let aad = bytes("50515253c0c1c2c3c4c5c6c7");
    let text = b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for \
                 the future, sunscreen would be it.";
    assert_eq!(
        hex(&chacha_seal(&key, &nonce, &aad, text)),
        "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69\
         da92728b1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad67594\
         5585808b4831d7bc3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691",
        "RFC 8439, section 2.8.2"
    );
    let key: [u8; 32] = std::array::from_fn(|at| at as u8);
    assert_eq!(
        over_lengths(|text| chacha_seal(&key, &nonce_of_ours(), AAD, text)),
        "0833c9a58015b106decd2aa4d7dcf4e7c5acd9049f43a294a40bfd9aa87a89db"
    );
}

#[test]
fn x25519() {
    let mut scalar = [0; 32];
    scalar[0] = 9;
    let mut point = scalar;
    for round in 1..=1000 {
        let product = x25519_multiply(scalar, point);
        (scalar, point) = (product, scalar);
        if round == 1 {
            assert_eq!(
                hex(&scalar),
                "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079",
                "RFC 7748, section 5.2, after one iteration"
            );
        }
    }
    assert_eq!(
        hex(&scalar),
        "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51",
        "RFC 7748, section 5.2, after 1,000 iterations"
    );
}

#[test]
fn p256() {
    // RFC 6979, appendix A.2.5.
    let own = p256_key(
        &bytes("60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"),
        &bytes("7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"),
        Some(&bytes(
            "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
        )),
    );
    let digest_of_sample = digest(b"sample");
    let signature = bytes(
        "3046022100efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716022100f7cb1c94\
         2d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
    );
    assert!(p256_verifies(&own, &signature, &digest_of_sample));
    assert!(!p256_verifies(&own, &signature, &digest(b"another")));

    let fresh = p256_sign(&own, &digest_of_sample);
    assert!(p256_verifies(&own, &fresh, &digest_of_sample));
    assert!(!p256_verifies(&own, &fresh, &digest(b"another")));

    let other = p256_key(
        &bytes("515c3d6eb9e396b904d3feca7f54fdcd0cc1e997bf375dca515ad0a6c3b4035f"),
        &bytes("4536be3a50f318fbf9a5475902a221502bef0d57e08c53b2cc0a56f17d9f9354"),
        None,
    );
    assert_eq!(
        hex(&p256_agree(&own, &other)),
        "cf551a5f5d50b264e06ee9c4f7f541aa0318be11d12577b3857c8b5c625f935a"
    );
}

#[test]
fn rsa_2048() {
    let rng = rng();
    let key = rsa_key(include_bytes!("rsa-2048.der"), &rng);
    // PKCS#1 v1.5 is deterministic: `openssl dgst -sha256 -sign` gave these very bytes.
    let expected = include_bytes!("rsa-2048.sig");
    let mut encoded = bytes("3031300d060960864801650304020105000420");
    encoded.extend(digest(AAD));

    assert_eq!(hex(&rsa_sign(&key, &rng, &encoded)), hex(expected));
    assert_eq!(hex(&rsa_verify(&key, expected)), hex(&encoded));
}

fn over_lengths(seal: impl Fn(&[u8]) -> Vec<u8>) -> String {
    let all: Vec<u8> = LENGTHS
        .iter()
        .flat_map(|length| seal(&data(*length)))
        .collect();
    hex(&digest(&all))
}

fn data(length: usize) -> Vec<u8> {
    (0..length).map(|at| ((at * 7 + 3) % 251) as u8).collect()
}

fn nonce_of_ours() -> [u8; 12] {
    std::array::from_fn(|at| 0xa0 + at as u8)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<_> = hex
        .chars()
        .map(|digit| digit.to_digit(16).expect("hex") as u8)
        .collect();
    digits
        .chunks(2)
        .map(|pair| pair[0] << 4 | pair[1])
        .collect()
}
