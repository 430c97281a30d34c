import Bowser from "bowser";

const LONGEST = 256;

/** The device's `User-Agent`, cut short, without what does not print. */
export function readUserAgent(headers: Headers): string {
  return (headers.get("user-agent") ?? "").replace(/[^\x20-\x7e]/g, "").slice(0, LONGEST);
}

/** The program and the system of a `User-Agent`, as far as it names them: `Firefox` and `Linux`. */
export function describeDevice(userAgent: string): { program?: string; system?: string } {
  if (userAgent === "") return {};
  const { browser, os } = Bowser.parse(userAgent);
  const program = browser.name || /^[\w.-]+/.exec(userAgent)?.[0];
  return { ...(program && { program }), ...(os.name && { system: os.name }) };
}
