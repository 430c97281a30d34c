/** Longer than a challenge, so that the page with the button that ends a sign-in can be loaded again. */
const LIFETIME_SECONDS = 3600;
/** More than any person has open, and far fewer than the cookies that servers refuse as too long. */
const MOST_ASKED = 8;

export type AskerCookie = {
  /** Marks the browser that asks for a sign-in by a wallet, and removes its oldest marks if it has many. */
  write(request: Request, response: Response, challenge: { id: string; askerToken: string }): void;
  /** Returns the mark of the browser that asked, or null in any other. */
  read(request: Request, id: string): string | null;
};

/**
 * Creates the access to the cookies by which the callback of a wallet recognizes the browser that asked. Each sign-in
 * has one, and other sites' pages can make the browser send it only by opening an address (`SameSite=Lax`). On https, no
 * other host of the same site can set it (`__Host-`); otherwise a stranger's browser could pass for the owner's.
 */
export function createAskerCookie(isSecure: boolean): AskerCookie {
  const prefix = `${isSecure ? "__Host-" : ""}asker_`;
  const nameOf = (id: string) => `${prefix}${codeOf(id)}`;
  const path = isSecure ? "/" : "/api/auth";
  const set = (response: Response, pair: string, seconds: number) =>
    response.headers.append(
      "set-cookie",
      `${pair}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`,
    );
  return {
    write(request, response, { id, askerToken }) {
      set(response, `${nameOf(id)}=${askerToken}`, LIFETIME_SECONDS);
      // Browsers send cookies of one path oldest first.
      const names = pairsOf(request).map((pair) => pair.slice(0, pair.indexOf("=")));
      const marks = names.filter((name) => name.startsWith(prefix));
      for (const name of marks.slice(0, -(MOST_ASKED - 1))) set(response, `${name}=`, 0);
    },
    read(request, id) {
      const name = nameOf(id);
      return (
        pairsOf(request)
          .find((pair) => pair.startsWith(`${name}=`))
          ?.slice(name.length + 1) ?? null
      );
    },
  };
}

const pairsOf = (request: Request): string[] =>
  (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());

/** Returns the code at the end of an id, which is short, and differs between challenges. */
const codeOf = (id: string): string => id.slice(id.lastIndexOf(".") + 1);
