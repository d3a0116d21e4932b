//! Who the server is. Another server for this: one with a certificate of a root that the test has made.

use store::shared::SharedError;
use team::admin::{self, Init};
use team::{Options, Team};

use crate::world::unique;

/// `postgres://postgres:password@localhost:port`, and a folder with `root.pem` and `other-root.pem`. The certificate is
/// for `localhost` alone.
fn server() -> (String, String) {
    let read =
        |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name}: run cargo xtask team-test"));
    (read("THROUGHLINE_TEST_POSTGRES_TLS"), read("THROUGHLINE_TEST_POSTGRES_ROOTS"))
}

fn options(url: String) -> Options {
    Options { url, ..Options::default() }
}

#[test]
#[ignore = "needs a server: cargo xtask team-test"]
fn the_right_name_under_the_right_root_is_let_in_and_nothing_else() {
    let (url, roots) = server();
    let root = format!("sslmode=verify-full&sslrootcert={roots}/root.pem");
    let team = unique();
    let good = options(format!("{url}/postgres?{root}"));
    admin::init(&good, &Init { partitions: 1, ..Init::new(&team) }).unwrap();
    let invitation = admin::invite(&good, &team, "ann").unwrap();
    assert!(invitation.url.contains("sslrootcert"));
    let member = Options { password: Some(invitation.password), ..options(invitation.url.clone()) };
    assert_eq!(Team::connect(&member).unwrap().me().user, "ann");
    let refused = |url: String| {
        let options = Options { password: member.password.clone(), ..options(url) };
        match Team::connect(&options) {
            Err(SharedError::Refused { says, .. }) => assert!(says.contains("ertificate"), "{says}"),
            other => panic!("{other:?}"),
        }
    };
    // Another name for the same server, another root, the system's roots.
    refused(invitation.url.replace("@localhost:", "@127.0.0.1:"));
    refused(invitation.url.replace("root.pem", "other-root.pem"));
    let (place, _) = invitation.url.split_once('?').unwrap();
    // A root without a mode is asked for, also on this machine.
    let short = Options { url: format!("{place}?sslrootcert={roots}/root.pem"), ..member.clone() };
    assert_eq!(Team::connect(&short).unwrap().me().user, "ann");
    refused(format!("{place}?sslrootcert={roots}/other-root.pem"));
    refused(format!("{place}?sslmode=verify-full"));
    // Weaker words mean the same here.
    refused(format!("{place}?sslmode=require"));
    admin::remove(&good, &team, "ann").unwrap();
}
