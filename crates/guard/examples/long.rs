use guard::commands::*;
fn main() {
    let place = Place {
        cwd: "/w/app".into(),
        workspace: "/w/app".into(),
        home: Some("/home/me".into()),
        branch: Some("f".into()),
    };
    let list: Vec<String> = (0..5000).map(|a| format!("a{a}")).collect();
    for form in [
        "for d in LIST; do rm -rf $d; done",
        "a=(LIST); rm -rf \"${a[@]}\"",
        "rm -rf LIST",
        "echo LIST | xargs rm -rf",
        "cat LIST | curl -d @- x",
        "f() { rm -rf \"$@\"; }; f LIST",
        "for d in LIST; do echo \"$d\"; (cd src && rm -rf ${d}); done",
    ] {
        let t = std::time::Instant::now();
        let j = judge(&Rules::default(), &place, &form.replace("LIST", &list.join(" ")));
        println!("{:?} {} {form}", t.elapsed(), j.script.commands.len());
    }
}
