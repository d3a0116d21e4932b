//! A member with a prompt of their own and bad intentions: what the database lets them see and do.

use model::MemoryId;
use store::shared::{Change, Shared, SharedAsk, SharedError, SharedMemory};
use team::Team;
use team::admin::{self, Init};

use crate::stories::{author, claim, hear, memory, project, session, told};
use crate::world::{World, client, server, unique};

/// Everything a member can reach, one by one.
const TABLES: [&str; 7] =
    ["memories", "forgotten", "sessions", "claims", "messages", "patterns", "term_samples"];

fn count(client: &mut postgres::Client, table: &str) -> i64 {
    client.query_one(&format!("SELECT count(*) FROM throughline.{table}"), &[]).unwrap().get(0)
}

fn fill(world: &mut World, user: &str) {
    let mut team = world.member(user);
    let message = store::shared::SharedMessage {
        id: format!("m-{user}"),
        project: project("shop"),
        to: model::SessionId::new("s1"),
        from: user.to_owned(),
        at: 1,
        text: "psst".to_owned(),
        delivered_at: None,
    };
    let batch = [
        // An id that is sampled, so that every table has a row.
        (1, told(16, "a secret plan", 1)),
        (2, Change::Session(session("s1", 5))),
        (3, Change::Claim(claim("s1", "src/plan.rs", 5))),
        (4, Change::Message(message)),
        (5, Change::Forgotten { project: project("shop"), id: MemoryId::from_u64(99) }),
        (
            6,
            Change::Pattern(store::shared::SharedPattern {
                id: "p".to_owned(),
                project: project("shop"),
                session: model::SessionId::new("s1"),
                kind: "jury".to_owned(),
                at: 1,
                ended_at: None,
                state: serde_json::Value::Null,
            }),
        ),
    ];
    assert_eq!(team.apply(&author(user), "box", &batch).unwrap(), 6);
}

#[test]
#[ignore = "needs a server: cargo xtask team-test"]
fn another_team_in_the_same_database_sees_nothing() {
    let mut world = World::new();
    fill(&mut world, "ann");
    let other = unique();
    admin::init(&world.admin, &Init::new(&other)).unwrap();
    let mallory = admin::invite(&world.admin, &other, "mallory").unwrap();
    let options = team::Options { url: mallory.url, password: Some(mallory.password), ..Default::default() };
    let mut raw = client(&options);
    let mut own = world.raw("ann");
    for table in TABLES {
        assert!(count(&mut own, table) > 0, "{table} has something to see");
        assert_eq!(count(&mut raw, table), 0, "{table}");
    }
    for table in ["projects", "authors", "outboxes"] {
        assert_eq!(count(&mut raw, table), 0, "{table}");
    }
    assert_eq!(count(&mut raw, "teams"), 1);
    let mut team = Team::connect(&options).unwrap();
    // The same repository in another team is another project, also for search with its owner's rights.
    let all =
        SharedAsk { words: vec!["secret".into(), "plan".into()], vector: None, projects: None, limit: 9 };
    assert!(team.search(&all).unwrap().is_empty());
    assert!(hear(&mut team, "m", &mut String::new()).is_empty());
    assert_eq!(team.memory(MemoryId::from_u64(16)).unwrap(), None);
    let wanted = "SELECT count(*) FROM throughline.find(ARRAY(SELECT generate_series(1, 50))::bigint[], 'secret', \
                  ARRAY['secret'::tsquery], ARRAY[1.0]::real[], NULL, NULL, 10, 10)";
    assert_eq!(raw.query_one(wanted, &[]).unwrap().get::<_, i64>(0), 0);
    assert_eq!(own.query_one(wanted, &[]).unwrap().get::<_, i64>(0), 1);
    drop(team);
    drop(raw);
    admin::remove(&world.admin, &other, "mallory").unwrap();
}

#[test]
#[ignore = "needs a server: cargo xtask team-test"]
fn a_project_that_is_not_shared_is_seen_by_those_it_is_shared_with() {
    let mut world = World::with(false);
    fill(&mut world, "ann");
    let mut bob = world.member("bob");
    assert!(hear(&mut bob, "bobs-laptop", &mut String::new()).is_empty());
    // Bob tells of the same repository: it is not his, and holds nothing else up.
    let his = SharedMemory { project: project("his"), ..memory(5, "his own", 1) };
    let batch = [(1, told(4, "intruder", 1)), (2, Change::Memory(Box::new(his)))];
    assert_eq!(bob.apply(&author("bob"), "box", &batch).unwrap(), 2);
    assert_eq!(bob.memory(MemoryId::from_u64(4)).unwrap(), None);
    assert!(bob.memory(MemoryId::from_u64(5)).unwrap().is_some());
    let mut cursor = String::new();
    hear(&mut bob, "bobs-laptop", &mut cursor);
    admin::share(&world.admin, &world.team, &project("shop"), Some(&["ann".into(), "bob".into()])).unwrap();
    assert!(
        !hear(&mut bob, "bobs-laptop", &mut cursor).is_empty(),
        "from its beginning, with the old cursor"
    );
    let all = SharedAsk { words: vec!["secret".into()], vector: None, projects: None, limit: 9 };
    assert_eq!(bob.search(&all).unwrap().len(), 1);
    // And taken away again while the connection stands.
    bob.apply(&author("bob"), "box", &[(3, told(7, "inside", 1))]).unwrap();
    admin::share(&world.admin, &world.team, &project("shop"), Some(&["ann".into()])).unwrap();
    assert_eq!(bob.apply(&author("bob"), "box", &[(4, told(8, "outside", 1))]).unwrap(), 1);
    assert!(bob.search(&all).unwrap().is_empty());
    let mut ann = world.member("ann");
    assert!(ann.memory(MemoryId::from_u64(7)).unwrap().is_some());
    assert_eq!(ann.memory(MemoryId::from_u64(8)).unwrap(), None);
    admin::share(&world.admin, &world.team, &project("shop"), None).unwrap();
    assert_eq!(bob.search(&all).unwrap().len(), 1);
}

#[test]
#[ignore = "needs a server: cargo xtask team-test"]
fn nobody_writes_in_anothers_name_or_lifts_their_own_rights() {
    let mut world = World::new();
    fill(&mut world, "ann");
    let mut bob = world.member("bob");
    bob.apply(&author("bob"), "box", &[(1, told(40, "bob's", 1))]).unwrap();
    match bob.apply(&author("ann"), "box", &[(2, told(41, "not ann's", 1))]) {
        Err(SharedError::Refused { .. }) => {}
        other => panic!("{other:?}"),
    }
    let mut raw = world.raw("bob");
    let team = world.team.clone();
    let anns = "(SELECT id FROM throughline.authors WHERE machine = 'anns-laptop')";
    let refused = [
        // In another's name.
        format!(
            "INSERT INTO throughline.sessions (project, author, id, seen_at, body) SELECT project, {anns}, 'x', 1, '{{}}' FROM throughline.sessions"
        ),
        format!(
            "INSERT INTO throughline.forgotten (project, id, author) SELECT project, 16, {anns} FROM throughline.memories WHERE id = 16"
        ),
        format!(
            "INSERT INTO throughline.messages (project, id, sender, author, to_session, at, body) SELECT project, 'x', {anns}, {anns}, 's1', 1, '{{}}' FROM throughline.memories WHERE id = 16"
        ),
        format!("UPDATE throughline.memories SET author = {anns} WHERE id = 40"),
        "UPDATE throughline.memories SET body = 'x' WHERE id = 16".to_owned(),
        "UPDATE throughline.messages SET body = 'x'".to_owned(),
        "UPDATE throughline.messages SET sender = author".to_owned(),
        // Into a project that is not there, or into the parts of a table around its policies.
        "UPDATE throughline.memories SET project = 999 WHERE id = 40".to_owned(),
        "SELECT * FROM throughline.memories_0".to_owned(),
        "DELETE FROM throughline.memories".to_owned(),
        "DELETE FROM throughline.forgotten".to_owned(),
        "TRUNCATE throughline.memories".to_owned(),
        // More rights.
        "SELECT role FROM throughline.members".to_owned(),
        "UPDATE throughline.members SET team = 1".to_owned(),
        format!(
            "INSERT INTO throughline.members (team, name, role) VALUES (1, 'x', 'throughline_{team}_bob')"
        ),
        "INSERT INTO throughline.seats VALUES (1, 1)".to_owned(),
        "UPDATE throughline.projects SET open = true".to_owned(),
        "UPDATE throughline.house SET epoch = 'x'".to_owned(),
        "ALTER TABLE throughline.memories DISABLE ROW LEVEL SECURITY".to_owned(),
        "DROP POLICY seen ON throughline.memories".to_owned(),
        "CREATE POLICY mine ON throughline.memories USING (true)".to_owned(),
        "CREATE TABLE throughline.x (a int)".to_owned(),
        "CREATE FUNCTION throughline.my_team() RETURNS integer LANGUAGE sql AS 'SELECT 1'".to_owned(),
        "SELECT throughline.index_model(1)".to_owned(),
        "SELECT setval('throughline.turns', 1)".to_owned(),
        "SET ROLE throughline_owner".to_owned(),
        "SET SESSION AUTHORIZATION postgres".to_owned(),
        format!("SET ROLE throughline_{team}_ann"),
        format!("GRANT throughline_owner TO throughline_{team}_bob"),
        format!("ALTER ROLE throughline_{team}_bob BYPASSRLS"),
        format!("ALTER ROLE throughline_{team}_bob CREATEROLE"),
        format!("ALTER ROLE throughline_{team}_ann PASSWORD 'x'"),
        "CREATE ROLE eve".to_owned(),
    ];
    for attack in &refused {
        let done = raw.batch_execute(attack);
        assert!(done.is_err(), "went through: {attack}");
    }
    // What row-level security hides is not there to be changed.
    for (attack, most) in [
        ("UPDATE throughline.sessions SET body = 'x'", 0),
        ("UPDATE throughline.claims SET released = true", 0),
        ("UPDATE throughline.patterns SET body = 'x'", 0),
        ("UPDATE throughline.messages SET delivered_at = 1", 0),
        ("UPDATE throughline.outboxes SET position = 0", 1),
    ] {
        assert_eq!(raw.execute(attack, &[]).unwrap(), most, "{attack}");
    }
    // A helper of their own in front of ours changes nothing: every function has its path pinned.
    let _ = raw.batch_execute(
        "CREATE FUNCTION pg_temp.unnest(bigint[]) RETURNS SETOF bigint LANGUAGE sql AS 'SELECT generate_series(1, 99)';
         SET search_path = pg_temp, throughline, pg_catalog",
    );
    let found = "SELECT count(*) FROM throughline.find(NULL, 'secret', ARRAY['secret'::tsquery], ARRAY[1.0]::real[], NULL, NULL, 10, 10)";
    assert_eq!(raw.query_one(found, &[]).unwrap().get::<_, i64>(0), 1);
}

#[test]
#[ignore = "needs a server: cargo xtask team-test"]
fn the_place_in_the_order_of_tellings_is_not_the_tellers_to_choose() {
    let mut world = World::new();
    let (mut ann, mut bob) = (world.member("ann"), world.member("bob"));
    ann.apply(&author("ann"), "box", &[(1, told(1, "x", 1))]).unwrap();
    let mut cursor = String::new();
    hear(&mut bob, "bobs-laptop", &mut cursor);
    let mut raw = world.raw("ann");
    raw.batch_execute(
        "UPDATE throughline.memories SET xid = '3'::xid8, turn = 1, body = replace(body, '\"x\"', '\"y\"')",
    )
    .unwrap();
    assert_eq!(
        hear(&mut bob, "bobs-laptop", &mut cursor).len(),
        1,
        "a change behind the reader's back is news"
    );
}

#[test]
#[ignore = "needs a server: cargo xtask team-test"]
fn who_could_do_more_than_a_member_is_not_let_in_and_who_was_removed_neither() {
    let mut world = World::new();
    match Team::connect(&world.admin) {
        Err(SharedError::Refused { says, next }) => assert!(next.contains("invite"), "{says}; {next}"),
        other => panic!("{other:?}"),
    }
    let options = world.options("ann");
    let mut ann = Team::connect(&options).unwrap();
    let held = [
        (1, told(1, "kept", 1)),
        (2, Change::Session(session("s1", 5))),
        (3, Change::Claim(claim("s1", "src/plan.rs", 5))),
    ];
    ann.apply(&author("ann"), "box", &held).unwrap();
    let mut bob = world.member("bob");
    let mut cursor = String::new();
    assert_eq!(hear(&mut bob, "bobs-laptop", &mut cursor).len(), 3);
    let mut listener = bob.listen("bobs-laptop").unwrap();
    let wrong = team::Options { password: Some("not-the-password".into()), ..options.clone() };
    match Team::connect(&wrong) {
        Err(SharedError::Refused { says, next }) => {
            assert!(!says.contains("not-the-password") && next.contains("password"), "{says}; {next}");
        }
        other => panic!("{other:?}"),
    }
    admin::remove(&world.admin, &world.team, "ann").unwrap();
    assert!(
        ann.memory(MemoryId::from_u64(1)).map_or(true, |seen| seen.is_none()),
        "an open connection sees nothing"
    );
    drop(ann);
    assert!(matches!(Team::connect(&options), Err(SharedError::Refused { .. })));
    assert!(bob.memory(MemoryId::from_u64(1)).unwrap().is_some(), "what she told stays");
    assert_eq!(listener.wait(std::time::Duration::from_mins(1)).unwrap(), team::Woken::Told);
    let heard = hear(&mut bob, "bobs-laptop", &mut cursor);
    assert!(
        heard.iter().any(|(by, change)| {
            by.user == "ann" && matches!(change, Change::Session(session) if session.ended_at.is_some())
        }),
        "{heard:?}"
    );
    assert!(heard.iter().any(|(_, change)| matches!(change, Change::Released { .. })), "{heard:?}");
    assert!(bob.claims(&project("shop"), 0).unwrap().is_empty());
    assert!(bob.sessions(&project("shop"), 0).unwrap().is_empty());
    let members = |team: &mut Team| admin::status(team).unwrap().members;
    assert_eq!(members(&mut bob), [("bob".to_owned(), 1)]);
    match admin::remove(&world.admin, &world.team, "ann") {
        Err(SharedError::Refused { says, .. }) => assert!(says.contains("no member"), "{says}"),
        other => panic!("{other:?}"),
    }
    // She may come back, under the name that is on what she told.
    let again = admin::invite(&world.admin, &world.team, "ann").unwrap();
    let options = team::Options { url: again.url, password: Some(again.password), ..Default::default() };
    assert_eq!(Team::connect(&options).unwrap().me().user, "ann");
    assert_eq!(members(&mut bob).len(), 2);
    // A role of somebody else's is not taken over.
    let theirs = format!("throughline_{}_carl", world.team);
    client(&world.admin).batch_execute(&format!("CREATE ROLE {theirs} LOGIN")).unwrap();
    assert!(matches!(admin::invite(&world.admin, &world.team, "carl"), Err(SharedError::Refused { .. })));
    client(&world.admin).batch_execute(&format!("DROP ROLE {theirs}")).unwrap();
}

#[test]
#[ignore = "needs a server: cargo xtask team-test"]
fn every_refusal_says_what_to_do_about_it() {
    let mut world = World::new();
    let good = world.options("ann");
    let says = |done: Result<(), SharedError>| match done {
        Err(SharedError::Refused { says, next }) => format!("{says} / {next}"),
        other => panic!("{other:?}"),
    };
    let connect = |options: &team::Options| says(Team::connect(options).map(drop));
    let at = |url: &str| team::Options { url: url.to_owned(), ..good.clone() };
    let admin = world.admin.clone();
    let empty = format!("{}_empty", world.team);
    client(&admin).batch_execute(&format!("CREATE DATABASE {empty}")).unwrap();
    let nowhere = server(&empty);
    let heard = [
        (connect(&at(&good.url.replace("db_", "no_"))), "CREATE DATABASE"),
        (connect(&at(&good.url.replace("_ann@", "_eve@"))), "assword"),
        (connect(&at("mysql://ann@localhost/x")), "write postgres://"),
        (connect(&at("postgres://ann@localhost/x?sslmode=sometimes")), "verify-full"),
        (says(admin::invite(&admin, &world.team, "Ann").map(drop)), "choose another"),
        (says(admin::invite(&admin, "nobodys", "ann").map(drop)), "there is no team nobodys"),
        (says(admin::invite(&nowhere, &world.team, "ann").map(drop)), "run `throughline team init` first"),
        (says(admin::invite(&good, &world.team, "eve").map(drop)), "team init` was run with"),
        (says(admin::init(&good, &Init::new("mine")).map(drop)), "may create roles"),
        (
            says(admin::share(&admin, &world.team, &project("shop"), Some(&["eve".into()]))),
            "lists the members",
        ),
    ];
    for (heard, wanted) in &heard {
        assert!(heard.contains(wanted), "{heard}");
    }
    client(&admin).batch_execute(&format!("DROP DATABASE {empty}")).unwrap();
}
