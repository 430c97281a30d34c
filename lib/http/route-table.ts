import type { IncomingMessage } from "node:http";
import type { Answer } from "./headers.ts";
import type { AskedRequest } from "./node-request.ts";

export const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

export type Method = (typeof methods)[number];

/** One path of the API: a route handler as Next calls it. */
export type RouteFunction = ((
  request: Request,
  context?: { params?: Promise<Record<string, string>> },
) => Promise<Response>) & {
  /** Answers a request without creating web forms, for the dispatcher, which records the request itself. */
  answer(asked: AskedRequest, params: Record<string, string>, services: unknown): Promise<Answer>;
};

/**
 * The exports of a route file: one function under every method that Next looks up. It reads the method from
 * the request.
 */
export type RouteModule = Readonly<Record<Method, RouteFunction>>;

/** Path templates such as `/api/chat/channels/[channelId]/posts` and their modules. */
export type RouteTable = Readonly<Record<string, RouteModule>>;

export type Match<T> = { template: string; value: T; params: Record<string, string> };

type Leaf<T> = { template: string; value: T };

type Node<T> = {
  children: Map<string, Node<T>>;
  parameter: { name: string; node: Node<T> } | null;
  leaf: Leaf<T> | null;
  /** The leaf of a catch-all such as `[...path]`. */
  rest: Leaf<T> | null;
};

const createNode = <T>(): Node<T> => ({ children: new Map(), parameter: null, leaf: null, rest: null });

/**
 * Compiles path templates into a lookup with Next's precedence: fixed segments before parameters, parameters before
 * catch-alls. `params` holds the parameters of single segments.
 */
export function compileTemplates<T>(
  templates: Readonly<Record<string, T>>,
): (path: string) => Match<T> | null {
  const fixed = new Map<string, Match<T>>();
  const root = createNode<T>();
  for (const [template, value] of Object.entries(templates)) {
    if (template.includes("[")) insert(root, { template, value });
    else fixed.set(template, { template, value, params: {} });
  }
  return (path) => fixed.get(path) ?? find(root, path.split("/"), 1, {});
}

function insert<T>(root: Node<T>, leaf: Leaf<T>): void {
  let node = root;
  for (const segment of leaf.template.split("/").slice(1)) {
    const [, optional, rest, name] = /^\[(\[)?(\.\.\.)?(\w+)\]\]?$/.exec(segment) ?? [];
    if (rest !== undefined) {
      node.rest = leaf;
      if (optional !== undefined) node.leaf ??= leaf;
      return;
    }
    if (name === undefined) {
      const child = node.children.get(segment) ?? createNode<T>();
      node.children.set(segment, child);
      node = child;
    } else {
      node.parameter ??= { name, node: createNode() };
      if (node.parameter.name !== name)
        throw new Error(`${leaf.template}: [${node.parameter.name}] is there already`);
      node = node.parameter.node;
    }
  }
  node.leaf = leaf;
}

function find<T>(
  node: Node<T>,
  segments: readonly string[],
  index: number,
  params: Record<string, string>,
): Match<T> | null {
  const segment = segments[index];
  if (segment === undefined) return node.leaf && { ...node.leaf, params };
  const child = node.children.get(segment);
  const found = child && find(child, segments, index + 1, params);
  if (found) return found;
  const { parameter } = node;
  const value = parameter && decode(segment);
  const within = value
    ? find(parameter.node, segments, index + 1, { ...params, [parameter.name]: value })
    : null;
  return within ?? (node.rest && { ...node.rest, params });
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/**
 * Returns the path of a route's folder: `/api/chat/channels/[channelId]/posts` for
 * `/api/chat/channels/{channelId}/posts`.
 */
export const fileTemplateOf = (path: string): string => path.replace(/\{(\w+)\}/g, "[$1]");

const absoluteForm = /^https?:\/\/([^/?#]*)/i;
const hostShape = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/**
 * Returns the path of a request target, unchanged, because `new URL` throws on `//`, which would crash the
 * process.
 */
export function pathOf(target: string | undefined): string {
  if (target === undefined) return "/";
  const end = target.indexOf("?");
  return end < 0 ? target : target.slice(0, end);
}

/** Resolves `.` and `..` in a path (RFC 3986, 5.2.4), as Next and proxies do. */
export function normalizedPath(path: string): string {
  return new URL(`http://localhost${path}`).pathname;
}

/**
 * Rewrites a target in absolute form, which proxies send, to the ordinary form: its host takes precedence over the
 * `Host` header (RFC 9112, 3.2.2). Returns whether the target is a path and the host a single host.
 */
export function normalizeTarget(incoming: IncomingMessage): boolean {
  const { headers, rawHeaders, httpVersion, url = "" } = incoming;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === "host".length && name.toLowerCase() === "host") hosts++;
  }
  if (hosts > 1 || (hosts === 0 && httpVersion === "1.1")) return false;
  if (!url.startsWith("/")) {
    const [origin, authority] = absoluteForm.exec(url) ?? [];
    if (origin === undefined) return false;
    const rest = url.slice(origin.length);
    incoming.url = rest.startsWith("/") ? rest : `/${rest}`;
    headers.host = authority;
  }
  return headers.host === undefined || hostShape.test(headers.host);
}
