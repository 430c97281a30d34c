import Bowser from "bowser";

const LONGEST_AGENT = 512;
const LONGEST_DEVICE = 60;

/** What a request came from, in words, such as "Firefox on Linux"; a program by the name that it gives itself, empty without one. */
export function deviceOf(userAgent: string | null): string {
  if (!userAgent) return "";
  const { browser, os } = Bowser.parse(userAgent.slice(0, LONGEST_AGENT));
  const program = /^[\w.+-]+/.exec(userAgent)?.[0] ?? "";
  const device = browser.name && os.name ? `${browser.name} on ${os.name}` : browser.name || program;
  return device.slice(0, LONGEST_DEVICE);
}
