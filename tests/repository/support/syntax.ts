import { parseSync } from '@swc/core';

/** A node of a syntax tree, or a list of them, or a value of a node. */
type Tree = { type?: string; [name: string]: unknown };

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/** A tree with everything in it. */
function nodesOf(tree: Tree): Tree[] {
  const nodes = [tree];
  // The list grows while it is walked through.
  for (const node of nodes) {
    nodes.push(...Object.values(node).filter(isTree));
  }
  return nodes;
}

const treeOf = (text: string): Tree =>
  parseSync(text, {
    syntax: 'typescript',
    tsx: false,
    decorators: true,
    target: 'es2022',
  }) as unknown as Tree;

const stringOf = (node: unknown): string | undefined =>
  isTree(node) && node.type === 'StringLiteral' ? String(node.value) : undefined;

/** The text of a literal. Of a template, its beginning: `name/${file}` has a name of a package there. */
function literal(node: unknown): string | undefined {
  if (isTree(node) && node.type === 'TemplateLiteral') {
    const [first] = node.quasis as { cooked: string }[];
    return first?.cooked;
  }
  return stringOf(node);
}

/** What a node imports, if it imports something. */
function importedBy(node: Tree): string | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return stringOf(node.source);
    case 'TsImportType':
      return stringOf(node.argument);
    case 'TsExternalModuleReference':
      return stringOf(node.expression);
    case 'CallExpression': {
      const callee = node.callee as Tree;
      const isImport =
        callee.type === 'Import' || (callee.type === 'Identifier' && callee.value === 'require');
      const [first] = node.arguments as { expression: Tree }[];
      return isImport ? literal(first?.expression) : undefined;
    }
    default:
      return undefined;
  }
}

/** Everything that a source in TypeScript imports, in whatever way: the names of packages, and relative paths. */
export const importsIn = (text: string): string[] =>
  nodesOf(treeOf(text))
    .map(importedBy)
    .filter((name) => name !== undefined);

const isMath = (node: unknown): boolean =>
  isTree(node) && node.type === 'Identifier' && node.value === 'Math';

/** The identifiers of a source in TypeScript, without those in strings and comments, and without the functions of `Math`. */
export function identifiersIn(text: string): Set<string> {
  const nodes = nodesOf(treeOf(text));
  const ofMath = new Set(
    nodes.flatMap(({ type, object, property }) =>
      type === 'MemberExpression' && isMath(object) ? [property] : [],
    ),
  );
  return new Set(
    nodes.flatMap((node) => {
      // Private names have their name as a value, too, or inside.
      const isName = (node.type === 'Identifier' || node.type === 'PrivateName') && !ofMath.has(node);
      return isName && typeof node.value === 'string' ? [node.value] : [];
    }),
  );
}
