// What the TypeScript compiler's own parser finds in files: every definition with its lines.
//
//     node typescript.mjs TYPESCRIPT-MODULE FILE... > lines of {file, definitions: [{name, owner, kind, lines, ends}]}
//
// `lines` are the lines a definition may be said to begin on (its first token, its name), `ends` where it may end: with
// or without the statement around it. An overload without a body belongs to its implementation and is not listed.
import { createRequire } from "node:module";
import fs from "node:fs";
import path from "node:path";

const [, , library, ...files] = process.argv;
const ts = createRequire(import.meta.url)(path.resolve(library));

function unwrap(node) {
  const wraps = [ts.isParenthesizedExpression, ts.isAsExpression, ts.isSatisfiesExpression, ts.isTypeAssertionExpression];
  while (node && wraps.some((is) => is(node))) node = node.expression;
  return node;
}
const isFunction = (node) => !!node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));

/** A plain name, whatever it is written as: "quoted", [computed], #private. */
function plain(name, source) {
  if (ts.isStringLiteral(name) || ts.isNumericLiteral(name)) return name.text;
  if (ts.isComputedPropertyName(name)) {
    return ts.isStringLiteral(name.expression) ? name.expression.text : name.expression.getText(source);
  }
  return name.getText(source);
}

function kindOf(node) {
  if (ts.isFunctionDeclaration(node)) return "function";
  if (ts.isClassDeclaration(node)) return "class";
  if (ts.isMethodDeclaration(node)) return ts.isObjectLiteralExpression(node.parent) ? "object method" : "method";
  if (ts.isGetAccessor(node) || ts.isSetAccessor(node)) return "accessor";
  if (ts.isConstructorDeclaration(node)) return "constructor";
  if (ts.isInterfaceDeclaration(node)) return "interface";
  if (ts.isTypeAliasDeclaration(node)) return "type";
  if (ts.isEnumDeclaration(node)) return "enum";
  // `declare global` and `declare module "x"` add to something that is defined elsewhere.
  const isAugmentation = (node.flags & ts.NodeFlags.GlobalAugmentation) !== 0;
  if (ts.isModuleDeclaration(node) && ts.isIdentifier(node.name) && !isAugmentation) return "namespace";
  if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name)) {
    if (isFunction(unwrap(node.initializer))) return "variable";
    if (node.initializer && ts.isClassExpression(unwrap(node.initializer))) return "class variable";
  }
  if (ts.isPropertyDeclaration(node) && isFunction(unwrap(node.initializer))) return "class property";
  if (ts.isPropertyAssignment(node) && isFunction(unwrap(node.initializer))) return "object property";
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken && isFunction(unwrap(node.right))) {
    if (ts.isIdentifier(node.left) || ts.isPropertyAccessExpression(node.left)) return "assignment";
  }
  return undefined;
}

for (const file of files) {
  const text = fs.readFileSync(file, "utf8");
  const kind = file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const line = (at) => source.getLineAndCharacterOfPosition(at).line + 1;
  const definitions = [];
  const withBody = new Map();
  const remember = (node) => {
    if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isConstructorDeclaration(node)) && node.body) {
      if (!withBody.has(node.parent)) withBody.set(node.parent, new Set());
      withBody.get(node.parent).add(node.name?.getText(source) ?? "constructor");
    }
    ts.forEachChild(node, remember);
  };
  remember(source);
  (function visit(node, owner) {
    const kind = kindOf(node);
    let inner = owner;
    if (kind) {
      const nameNode = ts.isBinaryExpression(node) ? (ts.isIdentifier(node.left) ? node.left : node.left.name) : node.name;
      const name = kind === "constructor" ? "constructor" : nameNode && plain(nameNode, source);
      const written = node.name?.getText(source) ?? "constructor";
      const isOverload = ts.isFunctionLike(node) && !node.body && withBody.get(node.parent)?.has(written);
      if (name) inner = [...owner, name];
      if (name && !isOverload) {
        const lines = new Set([line(node.getStart(source))]);
        if (nameNode) lines.add(line(nameNode.getStart(source)));
        // Decorators stand before the first token that counts.
        const modifiers = (ts.canHaveModifiers(node) && ts.getModifiers(node)) || [];
        if (ts.canHaveDecorators(node) && ts.getDecorators(node)?.length) {
          lines.delete(line(node.getStart(source)));
          lines.add(line((modifiers[0] ?? nameNode ?? node).getStart(source)));
        }
        const ends = new Set([line(node.getEnd())]);
        let statement = node;
        if (ts.isVariableDeclaration(node) && node.parent.declarations.length === 1) statement = node.parent.parent;
        if (ts.isBinaryExpression(node) && ts.isExpressionStatement(node.parent)) statement = node.parent;
        if (statement !== node) { lines.add(line(statement.getStart(source))); ends.add(line(statement.getEnd())); }
        definitions.push({ name, owner: owner.join("."), kind, lines: [...lines], ends: [...ends] });
      }
    }
    ts.forEachChild(node, (child) => visit(child, inner));
  })(source, []);
  console.log(JSON.stringify({ file, definitions }));
}
