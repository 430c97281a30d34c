import Bowser from "bowser";

const LONGEST = 256;

/** Returns the device's `User-Agent`, shortened and without unprintable characters. */
export function readUserAgent(headers: Headers): string {
  return (headers.get("user-agent") ?? "").replace(/[^\x20-\x7e]/g, "").slice(0, LONGEST);
}

/** Returns the program and the system that a `User-Agent` names: `Firefox` and `Linux`. */
export function describeDevice(userAgent: string): { program?: string; system?: string } {
  if (userAgent === "") return {};
  const { browser, os } = Bowser.parse(userAgent);
  const program = browser.name || /^[\w.-]+/.exec(userAgent)?.[0];
  return { ...(program && { program }), ...(os.name && { system: os.name }) };
}
