import type { ToolResult } from "./tool-result.ts";

const MAX_CHARACTERS = 65_536;

/**
 * Returns the message of a result that asks for a payment, unparsed, or `null` for any other result. The
 * message is the structured content or, if the server sends none, the first text; Cloudflare's agents put it
 * in `_meta` too.
 */
export function requiredIn({ isError, structuredContent, content, _meta }: ToolResult): object | null {
  if (isError !== true) return null;
  const places = [() => structuredContent, () => parse(firstText(content)), () => _meta?.["x402/error"]];
  for (const place of places) {
    const value = place();
    if (isRequired(value)) return value;
  }
  return null;
}

function isRequired(value: unknown): value is object {
  const { x402Version, accepts } = (value ?? {}) as { x402Version?: unknown; accepts?: unknown };
  return x402Version !== undefined && Array.isArray(accepts);
}

function firstText(content: unknown): unknown {
  const [first] = Array.isArray(content) ? (content as unknown[]) : [];
  return (first as { text?: unknown } | null | undefined)?.text;
}

function parse(text: unknown): unknown {
  if (typeof text !== "string" || text.length > MAX_CHARACTERS) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The text is not JSON, so it is the tool's own.
    return null;
  }
}
