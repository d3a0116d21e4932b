//! Who the other side is: a certificate that one of the roots has signed and that bears the host's name. There is no
//! weaker check to choose.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use store::shared::SharedError;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::options::refused;

/// Where systems keep the roots they trust, all in one file.
const SYSTEM: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

const READABLE: &str = "sslrootcert in the URL names a file of PEM certificates that you can read";

pub(crate) fn connector(root: Option<&Path>) -> Result<MakeRustlsConnect, SharedError> {
    let roots = match root {
        Some(path) => {
            let roots = read(path).map_err(|trouble| {
                refused(
                    &format!("the root certificate {} cannot be used: {trouble}", path.display()),
                    READABLE,
                )
            })?;
            if roots.is_empty() {
                return Err(refused(&format!("{} holds no certificate", path.display()), READABLE));
            }
            roots
        }
        None => system(),
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| refused(&error.to_string(), "this build has no TLS; install another"))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// What the system trusts; where it keeps that elsewhere, what browsers trust.
fn system() -> RootCertStore {
    let found = SYSTEM.iter().filter_map(|path| read(Path::new(path)).ok()).find(|roots| !roots.is_empty());
    found.unwrap_or_else(|| RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() })
}

fn read(path: &Path) -> Result<RootCertStore, String> {
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&bytes) {
        let certificate = certificate.map_err(|error| format!("{error:?}"))?;
        // One old root the library does not understand is no reason to trust none.
        let _ = roots.add(certificate);
    }
    Ok(roots)
}
