import type { Node } from "./formatted-node.ts";

const DEFINITIONS = new Set(["definition", "footnoteDefinition"]);
/** The kind of definition that a reference refers to. */
const MEANT: Readonly<Record<string, string>> = {
  linkReference: "definition",
  imageReference: "definition",
  footnoteReference: "footnoteDefinition",
};

const nameOf = (kind: string, { identifier = "" }: Node) => `${kind} ${identifier}`;

/**
 * Returns the positions of `[name]: address` and `[^name]: note` to which nothing in the text refers. The
 * formatter hides these, so `[alice]: yes` would vanish. Definitions inside a stray note are found in the
 * next pass, when that note is text.
 */
export function findStrayDefinitions(root: Node): number[] {
  const first = new Map<string, Node>();
  const places: Array<{ definition: Node; note: Node | null }> = [];
  const collect = (node: Node, note: Node | null) => {
    const isDefinition = DEFINITIONS.has(node.type);
    if (isDefinition) {
      const name = nameOf(node.type, node);
      if (!first.has(name)) first.set(name, node);
      places.push({ definition: node, note });
    }
    for (const child of node.children ?? []) collect(child, isDefinition ? node : note);
  };
  collect(root, null);
  if (places.length === 0) return [];

  const used = new Set<Node>();
  const follow = (node: Node) => {
    const kind = MEANT[node.type];
    const definition = kind && first.get(nameOf(kind, node));
    if (definition && !used.has(definition)) {
      used.add(definition);
      for (const child of definition.children ?? []) follow(child);
    }
    for (const child of node.children ?? []) if (!DEFINITIONS.has(child.type)) follow(child);
  };
  follow(root);
  return places
    .filter(({ definition, note }) => !used.has(definition) && (note === null || used.has(note)))
    .flatMap(({ definition }) => definition.position?.start.offset ?? []);
}

/** Returns the text with a backslash before each of these positions, in ascending order. */
export function escapeAt(text: string, places: readonly number[]): string {
  return places.reduceRight((left, place) => `${left.slice(0, place)}\\${left.slice(place)}`, text);
}
