//! Commands as a shell reads them.

use guard::shell::{Command, Script, Wrap, read};

/// A command in one line: where it runs, what feeds it, its words.
fn line(command: &Command) -> String {
    let mut line = String::new();
    if let Some(folder) = &command.folder {
        line.push_str(&format!("[{}] ", folder.shape()));
    }
    if command.is_elsewhere {
        line.push_str("@ ");
    }
    if let Some(from) = command.piped_from {
        line.push_str(&format!("{from}| "));
    }
    line.push_str(&command.words.iter().map(guard::shell::Word::shape).collect::<Vec<_>>().join(" "));
    for redirect in &command.redirects {
        line.push_str(&format!(" {:?}:{}", redirect.kind, redirect.target.shape()));
    }
    line.trim().to_owned()
}

fn lines(script: &Script) -> Vec<String> {
    script.commands.iter().map(line).collect()
}

#[track_caller]
fn check(command: &str, expected: &[&str]) {
    let script = read(command);
    assert_eq!(lines(&script), expected, "{command}");
    assert!(!script.is_truncated && !script.is_unreadable, "{command}: {script:?}");
}

#[test]
fn quotes_escapes_and_comments_are_what_a_shell_makes_of_them() {
    check(r"r\m -rf /", &["rm -rf /"]);
    check(r#""rm" -r'f' "/""#, &["rm -rf /"]);
    check(r"$'\x72\155' -rf $'\u002f'", &["rm -rf /"]);
    check("x=r$'m'; $x a", &["", "rm a"]);
    check("echo \"rm -rf /\" # rm -rf /", &["echo rm -rf /"]);
    check("echo a#b", &["echo a#b"]);
    check("echo a \\\n  b", &["echo a b"]);
    check(r#"echo "a\"b" 'c\' "#, &[r#"echo a"b c\"#]);
    check("echo ''", &["echo"]);
    check("echo 'it'\\''s'", &["echo it's"]);
    check("r''m -rf \"\"/", &["rm -rf /"]);
}

#[test]
fn lists_pipelines_and_groups_are_told_apart() {
    check("a; b && c || d & e\nf", &["a", "b", "c", "d", "e", "f"]);
    check("a | b |& c", &["a", "0| b", "0| c"]);
    check("(a; b) | { c; d; } > out", &["a", "b", "0| c", "0| d", "0|  Write:out"]);
    check("! a; time -p b; time c", &["a", "b", "c"]);
    check("if a; then b; elif c; then d; else e; fi > log", &["a", "b", "c", "d", "e", "Write:log"]);
    check("while a; do b; done < in | c", &["a", "b", "Read:in", "0| c"]);
    check("for x in 1 2; do rm \"$x\"; done", &["rm 1 2"]);
    check("case $x in (a|b) c;; d) e ;& *) f; esac; g", &["c", "e", "f", "g"]);
    check("[[ -f a && $b =~ ^(x|y)$ ]] && c", &["[[ -f a $b =~ ^ x y $ ]]".replace("$b", "*").as_str(), "c"]);
    check("(( x > 1 )) && a", &["a"]);
    check("f() { rm \"$1\"; }; f /x", &["rm *", "f /x", "rm /x"]);
    check("function g { a; }; b", &["a", "b"]);
    check("f() { local a=(1 2); rm ${a[@]}; }", &["local", "rm 1 2"]);
    check("a&&b||c;d|e", &["a", "b", "c", "d", "3| e"]);
    check("{ a; b; } & c", &["a", "b", "c"]);
}

#[test]
fn redirections_are_no_words() {
    check("a >b 2>&1 <c 2>>d &>e >|f", &["a Write:b Duplicate:1 Read:c Append:d Write:e Write:f"]);
    check("a >&b 3<>c <<<\"d e\"", &["a Write:b ReadWrite:c Text:d e"]);
    check("> x", &["Write:x"]);
    check("echo 2 >x", &["echo 2 Write:x"]);
    check("echo a2>x", &["echo a2 Write:x"]);
}

#[test]
fn a_here_document_is_text_and_not_commands() {
    check("cat <<EOF\nrm -rf /\nEOF\nls", &["cat Document:rm -rf /\n", "ls"].map(str::trim_end));
    check("cat <<'EOF' > f; b\n$(rm x)\nEOF", &["cat Document:$(rm x)\n Write:f", "b"]);
    check("cat <<-E\n\ta\n\tE\nb", &["cat Document:\ta", "b"]);
    check("cat <<EOF\n$(rm x) `rm y`\nEOF", &["cat Document:* *", "rm x", "rm y"]);
    check("a <<X <<Y\n1\nX\n2\nY\nb", &["a Document:1\n Document:2", "b"]);
    check("x=$(cat <<EOF\na b\nEOF\n); echo $x", &["cat Document:a b", "", "echo a b"]);
}

#[test]
fn substitutions_are_commands_too() {
    check("echo $(rm x) `rm y` \"$(rm z)\"", &["rm x", "rm y", "rm z", "echo * * *"]);
    check("diff <(a) <(b)", &["a", "b", "diff * *"]);
    check("echo ${x:-$(rm a)} $((1 + $(rm b)))", &["rm a", "rm b", "echo * * *"]);
    check("echo \"a $(echo \"b $(rm c)\")\"", &["rm c", "echo b *", "echo a *"]);
    check("echo `echo \\`rm a\\``", &["rm a", "echo *", "echo *"]);
    check("a > >(tee log)", &["tee log", "a Write:*"].map(|l| if l == "tee log" { "1| tee log" } else { l }));
}

#[test]
fn what_the_text_sets_is_followed() {
    check("d=/; rm -rf \"$d\"", &["", "rm -rf /"]);
    check("a='-rf /'; rm $a", &["", "rm -rf /"]);
    check("a='-rf /'; rm \"$a\"", &["", "rm -rf /"]);
    assert_eq!(read("a='-rf /'; rm \"$a\"").commands[1].words.len(), 2, "quotes keep it together");
    check("X=1 cmd $X", &["cmd *"]);
    check("export D=/etc; rm $D/x", &["export D=/etc", "rm /etc/x"]);
    check("a=(/ /etc); rm \"${a[@]}\"", &["", "rm / /etc"]);
    check("for d in a b; do rm $d/x; done", &["rm a/x b/x"]);
    check("rm -rf /{bin,etc}", &["rm -rf /bin /etc"]);
    check("echo {a,b}{c,d}", &["echo ac ad bc bd"]);
    check("find . -name {} ", &["find . -name {}"]);
    check("rm${IFS}-rf${IFS}/", &["rm -rf /"]);
    check("$(echo rm) -rf $(printf '%s' /)", &["echo rm", "printf %s /", "rm -rf /"]);
    check("rm -rf \"$HOME\" ~ ~/x '~'", &["rm -rf ~ ~ ~/x ~"]);
    check("x=~/a:~/b", &[""]);
    check("read x; rm $x", &["read x", "rm *"]);
    check("rm ${x:-/etc}", &["rm /etc *"]);
    check("(d=1; a $d); b $d", &["", "a 1", "b *"]);
    check("set -- a b; rm $1 \"$@\"", &["set -- a b", "rm a a b"]);
    let home = &read("rm '~' ~ \"$HOME\"/x").commands[0];
    assert_eq!(
        home.words.iter().map(guard::shell::Word::is_home).collect::<Vec<_>>(),
        [false, false, true, true]
    );
}

#[test]
fn the_folder_is_followed() {
    check("cd / && rm -rf *", &["cd /", "[/] rm -rf *"]);
    check("cd a; cd b; c", &["cd a", "[a] cd b", "[a/b] c"]);
    check("(cd a; b); c", &["cd a", "[a] b", "c"]);
    check("cd; a", &["cd", "[~] a"]);
    check("cd a | b; c", &["cd a", "0| b", "c"]);
    check("cd -; a", &["cd -", "[*] a"]);
    check("cd a && sh -c 'cd b; c'; d", &["cd a", "[a] sh -c cd b; c", "[a] cd b", "[a/b] c", "[a] d"]);
    check("sudo cd /; a", &["sudo cd /", "cd /", "a"]);
    check("rm -rf \"$PWD\" `pwd`", &["pwd", "rm -rf . ."]);
}

#[test]
fn programs_that_start_programs_are_opened() {
    check(
        "sudo -u root env -i X=1 nice -n 5 rm -rf /",
        &[
            "sudo -u root env -i X=1 nice -n 5 rm -rf /",
            "env -i X=1 nice -n 5 rm -rf /",
            "nice -n 5 rm -rf /",
            "rm -rf /",
        ],
    );
    check("bash -lc 'a | b'", &["bash -lc a | b", "a", "1| b"]);
    check("bash -c 'rm $1' _ /x", &["bash -c rm $1 _ /x", "rm /x"]);
    check("eval \"rm\" '-rf /'", &["eval rm -rf /", "rm -rf /"]);
    check("timeout -k 1 5s rm a", &["timeout -k 1 5s rm a", "rm a"]);
    check("xargs -0 -n 1 rm -rf < list", &["xargs -0 -n 1 rm -rf Read:list", "rm -rf *"]);
    check("echo / | xargs rm -rf", &["echo /", "0| xargs rm -rf", "rm -rf /"]);
    check(
        "find /a -name x -exec rm {} + -exec b \\;",
        &["find /a -name x -exec rm {} + -exec b ;", "rm /a/*", "b"],
    );
    check("find /a | xargs -I{} mv {} b", &["find /a", "0| xargs -I{} mv {} b", "mv /a/* b"]);
    check("ssh -p 22 host 'rm -rf /'", &["ssh -p 22 host rm -rf /", "@ rm -rf /"]);
    check("docker exec -it web rm -rf /x", &["docker exec -it web rm -rf /x", "@ rm -rf /x"]);
    check("command -v rm", &["command -v rm"]);
    check("trap 'rm -rf \"$t\"' EXIT", &["trap rm -rf \"$t\" EXIT", "rm -rf *"]);
    check("X=/ sh -c 'rm $X'", &["sh -c rm $X", "rm /"]);
    check("bash -c \"cd $D && rm x\"", &["bash -c cd * && rm x", "cd *", "[*] rm x"]);
    check("sh <<EOF\nrm a\nEOF", &["sh Document:rm a", "rm a"]);
    check("cat <<EOF | sh\nrm a\nEOF", &["cat Document:rm a", "0| sh", "rm a"]);
    check("echo 'rm a' | sudo bash", &["echo rm a", "0| sudo bash", "bash", "rm a"]);
    check("bash <<< 'rm a'", &["bash Text:rm a", "rm a"]);
    check("bash <(echo rm a)", &["echo rm a", "bash *", "rm a"]);
    check("(bash) <<EOF\nrm a\nEOF", &["bash", "Document:rm a", "rm a"]);
    check("bash script.sh rm", &["bash script.sh rm"]);
    check("alias x='rm a'", &["alias x=rm a", "rm a"]);
    check("git -c alias.x='!rm a' x", &["git -c alias.x=!rm a x", "rm a"]);
    let script = read("sudo a | xargs b");
    let wraps: Vec<Option<Wrap>> = script.commands.iter().map(|command| command.wraps).collect();
    assert_eq!(wraps, [Some(Wrap::Rights), None, Some(Wrap::Fed), None]);
}

#[test]
fn what_no_shell_takes_is_read_as_far_as_it_goes_and_marked() {
    for command in ["echo 'a", "echo \"a", "(a", "a)", "if a; then b", "a `b", "echo ${x", "fi", "echo $(a"] {
        assert!(read(command).is_unreadable, "{command}");
    }
    assert_eq!(lines(&read("")), Vec::<String>::new());
}
