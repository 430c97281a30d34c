/** A node of a formatted text, first as its author wrote it, then as it is shown. */
export type Node = {
  type: string;
  value?: string;
  url?: string;
  tagName?: string;
  properties?: Record<string, unknown>;
  data?: Record<string, unknown>;
  children?: Node[];
};
