// Dumps every definition and every call of a TypeScript folder, resolved by the compiler itself.
//
//     node typescript_calls.mjs TYPESCRIPT-FOLDER PACKAGE FOLDER > dump.json
//
// A call belongs to the declaration of its resolved signature; an overload belongs to its implementation. For each
// definition the language service is asked for references, too: a reference that is called and that the resolution did
// not give to the definition is listed under "look".
import { createRequire } from "node:module";
import fs from "node:fs";
import path from "node:path";

const [, , library, name, folder] = process.argv;
const ts = createRequire(import.meta.url)(path.resolve(library));
const root = fs.realpathSync(folder);
const files = [];
(function walk(at) {
  for (const entry of fs.readdirSync(at, { withFileTypes: true })) {
    const full = path.join(at, entry.name);
    if (entry.isDirectory() && entry.name !== "node_modules") walk(full);
    else if (/\.(ts|tsx|mts|cts)$/.test(entry.name)) files.push(full);
  }
})(root);
const options = {
  target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
  strict: true, skipLibCheck: true, noEmit: true, types: [], allowJs: false, experimentalDecorators: true,
  allowImportingTsExtensions: true, customConditions: ["@zod/source"],
  lib: ["lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
};
const service = ts.createLanguageService({
  getScriptFileNames: () => files, getScriptVersion: () => "1", getCompilationSettings: () => options,
  getScriptSnapshot: (file) =>
    fs.existsSync(file) ? ts.ScriptSnapshot.fromString(fs.readFileSync(file, "utf8")) : undefined,
  getCurrentDirectory: () => root, getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: ts.sys.fileExists, readFile: ts.sys.readFile, realpath: ts.sys.realpath,
  directoryExists: ts.sys.directoryExists, readDirectory: ts.sys.readDirectory,
}, ts.createDocumentRegistry());
const program = service.getProgram();
const checker = program.getTypeChecker();
const ours = program.getSourceFiles().filter((source) => source.fileName.startsWith(root + "/") && !source.isDeclarationFile);
const relative = (source) => path.relative(root, source.fileName);
const lineOf = (source, at) => source.getLineAndCharacterOfPosition(at).line + 1;
const isTest = (file) => /(^|\/)(__tests__|tests?|benchmarks)\/|\.(test|spec)\.ts/.test(file);

// ---------------------------------------------------------------------------------------------- what is called

function calleeName(expression) {
  let at = expression;
  while (ts.isParenthesizedExpression(at) || ts.isNonNullExpression(at) || ts.isAsExpression(at)) at = at.expression;
  if (ts.isIdentifier(at)) return at;
  if (ts.isPropertyAccessExpression(at)) return at.name;
  if (at.kind === ts.SyntaxKind.SuperKeyword) return at;
  return undefined;
}

/** The node a definition is known by: the implementation of a function, the variable of an arrow function. */
function definitionOf(declaration) {
  if (!declaration) return undefined;
  let at = declaration;
  if (ts.isFunctionLike(at) && !at.body && at.symbol) {
    at = at.symbol.declarations.find((other) => other.body) ?? at;
  }
  if ((ts.isArrowFunction(at) || ts.isFunctionExpression(at)) && at.parent) {
    let parent = at.parent;
    while ([ts.isParenthesizedExpression, ts.isAsExpression, ts.isSatisfiesExpression].some((is) => is(parent))) {
      parent = parent.parent;
    }
    if (ts.isVariableDeclaration(parent) || ts.isPropertyDeclaration(parent) || ts.isPropertyAssignment(parent)) return parent;
  }
  return at;
}

const calls = new Map();
const unknown = Object.create(null); // "toString" is a name like any other
function siteOf(source, node) {
  const at = node.getStart(source);
  return { file: relative(source), line: lineOf(source, at), at };
}
function resolve(source, call, expression) {
  const node = calleeName(expression);
  if (!node) return;
  const signature = checker.getResolvedSignature(call);
  let target = definitionOf(signature?.declaration);
  if (!target || ts.isFunctionTypeNode(target)) {
    // A class without a constructor, or a value of a function type: the symbol may still name a definition.
    let symbol = checker.getSymbolAtLocation(node);
    if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
    target = definitionOf(symbol?.valueDeclaration) ?? target;
  }
  if (!target) {
    (unknown[node.text ?? "super"] ??= []).push(siteOf(source, node));
    return;
  }
  if (!calls.has(target)) calls.set(target, []);
  calls.get(target).push(siteOf(source, node));
}
for (const source of ours) {
  (function visit(node) {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      if (node.expression.kind !== ts.SyntaxKind.ImportKeyword) resolve(source, node, node.expression);
    } else if (ts.isTaggedTemplateExpression(node)) resolve(source, node, node.tag);
    else if (ts.isDecorator(node) && !ts.isCallExpression(node.expression)) resolve(source, node, node.expression);
    ts.forEachChild(node, visit);
  })(source);
}

// ---------------------------------------------------------------------------------------------- what is defined

const exported = new Set();
for (const source of ours) {
  if (!/(^|\/)(index|internal|external|mobx|immer)\.ts$/.test(relative(source)) || isTest(relative(source))) continue;
  const module = checker.getSymbolAtLocation(source);
  for (let symbol of module ? checker.getExportsOfModule(module) : []) {
    const here = symbol.declarations?.[0];
    if (symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
    for (const declaration of symbol.declarations ?? []) if (here !== declaration) exported.add(definitionOf(declaration));
  }
}
const isFunction = (node) => node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));
const found = [];
const owners = Object.create(null);
for (const source of ours) {
  if (isTest(relative(source))) continue;
  (function visit(node, owner) {
    let kind;
    if (ts.isFunctionDeclaration(node) && node.body && node.name) kind = "function";
    else if (ts.isVariableDeclaration(node) && isFunction(node.initializer) && ts.isIdentifier(node.name)) kind = "function";
    else if (ts.isMethodDeclaration(node) && node.body && ts.isClassLike(node.parent)) kind = "method";
    else if (ts.isPropertyDeclaration(node) && isFunction(node.initializer)) kind = "method";
    else if (ts.isConstructorDeclaration(node) && node.body) kind = "constructor";
    const bare = kind === "constructor" ? "constructor" : node.name?.getText?.(source);
    if (kind && bare) {
      found.push({ node, source, kind, bare, name: [...owner, bare].join(".") });
      if (kind === "method") (owners[bare] ??= new Set()).add(node.parent);
    }
    const owns = (ts.isClassLike(node) && node.name) || (kind && kind !== "constructor");
    const inner = owns ? [...owner, node.name.getText(source)] : owner;
    ts.forEachChild(node, (child) => visit(child, inner));
  })(source, []);
}
const definitions = found.map(({ node, source, kind, bare, name: qualified }) => {
  const flags = ts.getCombinedModifierFlags(node);
  const statement = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  const isExported = !!(ts.getCombinedModifierFlags(ts.isVariableDeclaration(node) ? node : statement) & ts.ModifierFlags.Export);
  const named = node.name ?? node.getFirstToken(source);
  const sites = calls.get(node) ?? [];
  const known = new Set(sites.map((site) => `${site.file}:${site.at}`));
  const look = [];
  for (const group of service.findReferences(source.fileName, named.getStart(source)) ?? []) {
    for (const reference of group.references) {
      const at = program.getSourceFile(reference.fileName);
      if (!ours.includes(at) || known.has(`${relative(at)}:${reference.textSpan.start}`)) continue;
      let token = ts.getTokenAtPosition ? ts.getTokenAtPosition(at, reference.textSpan.start) : undefined;
      if (!token) continue;
      let call = token.parent;
      if (ts.isPropertyAccessExpression(call) && call.name === token) { token = call; call = call.parent; }
      if ((ts.isCallExpression(call) || ts.isNewExpression(call)) && call.expression === token) {
        const why = "a reference, yet resolved to another declaration";
        look.push({ file: relative(at), line: lineOf(at, reference.textSpan.start), why });
      }
    }
  }
  const line = (n) => lineOf(source, n.getStart(source));
  return {
    package: name, file: relative(source), line: line(named), name: qualified, bare, kind,
    private: kind === "function" ? !isExported : !!(flags & ts.ModifierFlags.Private) || /^[#_]/.test(bare),
    shared: (owners[bare]?.size ?? 0) > 1, reexported: exported.has(node),
    yes: sites.map(({ file, line }) => ({ file, line })), look,
  };
});
process.stdout.write(JSON.stringify({ definitions, unknown }));
