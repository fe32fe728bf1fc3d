//! Whether the certificates a peer sent lead to a trust anchor by themselves.
//!
//! wolfSSL keeps every intermediate that it has verified in the context, so that a chain which
//! lacks one is accepted or not by what other peers have sent before. Here the verdict depends
//! on the peer alone: beside wolfSSL's check of the signatures there must be a way from link
//! to link through what was sent.

use rustls_pki_types::CertificateDer;

use crate::der::{OBJECT_IDENTIFIER, OCTET_STRING, SEQUENCE, element, expect};

/// A trust anchor as an issuer.
#[derive(Clone, Debug)]
pub(crate) struct Issuer {
    subject: Vec<u8>,
    key_id: Option<Vec<u8>>,
}

impl Issuer {
    /// `None` when the certificate cannot be read, which wolfSSL's own reading rules out.
    pub(crate) fn new(certificate: &CertificateDer<'_>) -> Option<Self> {
        let links = Links::of(certificate)?;
        Some(Self {
            subject: links.subject.to_vec(),
            key_id: links.subject_key_id.map(<[u8]>::to_vec),
        })
    }
}

/// Whether there is a way from the leaf through `chain` to one of `anchors`.
pub(crate) fn lead_to_anchor(chain: &[CertificateDer<'_>], anchors: &[Issuer]) -> bool {
    let links = chain.iter().map(|der| Links::of(der)).collect::<Vec<_>>();
    let mut reached = vec![false; chain.len()];
    let mut open = vec![0];
    while let Some(index) = open.pop() {
        let Some(Some(link)) = links.get(index) else {
            continue;
        };
        if std::mem::replace(&mut reached[index], true) {
            continue;
        }
        if anchors
            .iter()
            .any(|anchor| link.issued_by(&anchor.subject, anchor.key_id.as_deref()))
        {
            return true;
        }
        open.extend(links.iter().enumerate().filter_map(|(next, candidate)| {
            let candidate = candidate.as_ref()?;
            (!reached[next] && link.issued_by(candidate.subject, candidate.subject_key_id))
                .then_some(next)
        }));
    }
    false
}

/// What ties a certificate to its issuer.
struct Links<'a> {
    issuer: &'a [u8],
    subject: &'a [u8],
    subject_key_id: Option<&'a [u8]>,
    issuer_key_id: Option<&'a [u8]>,
}

impl<'a> Links<'a> {
    fn of(certificate: &'a [u8]) -> Option<Self> {
        let (body, _) = expect(SEQUENCE, certificate)?;
        let (mut rest, _) = expect(SEQUENCE, body)?;
        if let Some((_, after)) = expect(VERSION, rest) {
            rest = after;
        }
        let (_, _, rest) = element(rest)?; // serial number
        let (_, rest) = expect(SEQUENCE, rest)?; // signature algorithm
        let (issuer, rest) = expect(SEQUENCE, rest)?;
        let (_, rest) = expect(SEQUENCE, rest)?; // validity
        let (subject, rest) = expect(SEQUENCE, rest)?;
        let (_, mut rest) = expect(SEQUENCE, rest)?; // public key
        let mut links = Self {
            issuer,
            subject,
            subject_key_id: None,
            issuer_key_id: None,
        };
        while let Some((tag, content, after)) = element(rest) {
            if tag == EXTENSIONS {
                links.read_extensions(expect(SEQUENCE, content)?.0);
            }
            rest = after;
        }
        Some(links)
    }

    fn read_extensions(&mut self, mut extensions: &'a [u8]) {
        while let Some((extension, after)) = expect(SEQUENCE, extensions) {
            extensions = after;
            let Some((oid, mut value)) = expect(OBJECT_IDENTIFIER, extension) else {
                continue;
            };
            if let Some((_, after_critical)) = expect(BOOLEAN, value) {
                value = after_critical;
            }
            let Some((value, _)) = expect(OCTET_STRING, value) else {
                continue;
            };
            match oid {
                SUBJECT_KEY_ID => {
                    self.subject_key_id = expect(OCTET_STRING, value).map(|(id, _)| id);
                }
                AUTHORITY_KEY_ID => {
                    self.issuer_key_id = expect(SEQUENCE, value)
                        .and_then(|(fields, _)| expect(KEY_ID, fields))
                        .map(|(id, _)| id);
                }
                _ => {}
            }
        }
    }

    /// By name, or by key where the same name is written in another way.
    fn issued_by(&self, subject: &[u8], key_id: Option<&[u8]>) -> bool {
        self.issuer == subject || (key_id.is_some() && self.issuer_key_id == key_id)
    }
}

const BOOLEAN: u8 = 0x01;
const VERSION: u8 = 0xa0;
const EXTENSIONS: u8 = 0xa3;
const KEY_ID: u8 = 0x80;
/// 2.5.29.14
const SUBJECT_KEY_ID: &[u8] = &[0x55, 0x1d, 0x0e];
/// 2.5.29.35
const AUTHORITY_KEY_ID: &[u8] = &[0x55, 0x1d, 0x23];

#[cfg(test)]
mod tests {
    use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer as Signer, KeyPair};

    use super::*;

    fn certificate(
        name: &str,
        issuer: Option<&Signer<'static, KeyPair>>,
    ) -> (CertificateDer<'static>, Signer<'static, KeyPair>) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.use_authority_key_identifier_extension = true;
        params.distinguished_name.push(DnType::CommonName, name);
        let certificate = match issuer {
            Some(issuer) => params.signed_by(&key, issuer).unwrap(),
            None => params.self_signed(&key).unwrap(),
        };
        (certificate.der().clone(), Signer::new(params, key))
    }

    #[test]
    fn links_are_followed_through_what_was_sent_in_any_order() {
        let (root, root_key) = certificate("root", None);
        let (first, first_key) = certificate("first", Some(&root_key));
        let (second, second_key) = certificate("second", Some(&first_key));
        let (leaf, _) = certificate("leaf", Some(&second_key));
        let (stranger, _) = certificate("stranger", None);
        let anchors = [Issuer::new(&root).unwrap()];
        let others = [Issuer::new(&stranger).unwrap()];
        let chain = [leaf.clone(), second.clone(), first.clone()];
        assert!(lead_to_anchor(&chain, &anchors));
        assert!(!lead_to_anchor(&chain, &others));
        let shuffled = [
            leaf.clone(),
            stranger,
            first.clone(),
            root.clone(),
            second.clone(),
        ];
        assert!(lead_to_anchor(&shuffled, &anchors));
        assert!(!lead_to_anchor(&[leaf.clone(), first], &anchors));
        assert!(!lead_to_anchor(&[leaf, second], &anchors));
        assert!(lead_to_anchor(&[root], &anchors));
        assert!(!lead_to_anchor(&[], &anchors));
    }

    #[test]
    fn what_is_no_certificate_leads_nowhere() {
        let (root, _) = certificate("root", None);
        let anchors = [Issuer::new(&root).unwrap()];
        for length in 0..root.len() {
            let _ = lead_to_anchor(&[CertificateDer::from(&root[..length])], &anchors);
        }
        assert!(!lead_to_anchor(
            &[CertificateDer::from(&[0x30, 0][..])],
            &anchors
        ));
    }
}
