/** A node of a formatted text: first as its author wrote it, then as it is displayed. */
export type Node = {
  type: string;
  value?: string;
  url?: string;
  tagName?: string;
  properties?: Record<string, unknown>;
  data?: Record<string, unknown>;
  children?: Node[];
  /** Name of a definition, or of the definition that a reference refers to. */
  identifier?: string;
  /** Position in the text. */
  position?: { start: { offset?: number | undefined }; end: { offset?: number | undefined } };
};

/** Returns the words of a node, without their formatting. */
export const textOf = (node: Node | undefined): string =>
  node?.value ?? (node?.children ?? []).map((child) => textOf(child)).join("");
