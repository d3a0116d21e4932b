use guard::commands::*;
fn main() {
    let place = Place {
        cwd: "/w/app".into(),
        workspace: "/w/app".into(),
        home: Some("/home/me".into()),
        branch: Some("f".into()),
    };
    let (mut all, mut missed) = (0, 0);
    for line in std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap().lines() {
        all += 1;
        let j = judge(&Rules::default(), &place, &line.replace('⏎', "\n"));
        if j.verdict.is_none() {
            missed += 1;
            println!("MISSED {line}");
        } else if std::env::args().nth(2).is_some() {
            println!("{} {line}", j.rule);
        }
    }
    println!("{missed} of {all}");
}
