/** Longer than a challenge, so that the page with the button that ends a sign-in can be loaded again. */
const LIFETIME_SECONDS = 3600;

export type AskerCookie = {
  /** Marks the browser that asks for a sign-in by a wallet. */
  write(response: Response, challenge: { id: string; askerToken: string }): void;
  /** Returns the mark of the browser that asked, or null in any other. */
  read(request: Request, id: string): string | null;
};

/**
 * Creates the access to the cookies by which the callback of a wallet recognizes the browser that asked. Each sign-in
 * has one, and other sites' pages can make the browser send it only by opening an address (`SameSite=Lax`). On https, no
 * other host of the same site can set it (`__Host-`); otherwise a stranger's browser could pass for the owner's.
 */
export function createAskerCookie(isSecure: boolean): AskerCookie {
  const nameOf = (id: string) => `${isSecure ? "__Host-" : ""}asker_${codeOf(id)}`;
  return {
    write(response, { id, askerToken }) {
      const path = isSecure ? "/" : "/api/auth";
      const attributes = `Path=${path}; Max-Age=${LIFETIME_SECONDS}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
      response.headers.append("set-cookie", `${nameOf(id)}=${askerToken}; ${attributes}`);
    },
    read(request, id) {
      const name = nameOf(id);
      const pairs = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
      return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
    },
  };
}

/** Returns the code at the end of an id, which is short, and differs between challenges. */
const codeOf = (id: string): string => id.slice(id.lastIndexOf(".") + 1);
