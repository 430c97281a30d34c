let made = 0;

/** A text that no other test has used, nor an earlier try, even on a Mattermost that keeps its state. */
export function unique(prefix: string): string {
  made += 1;
  return `${prefix}${Date.now().toString(36)}${process.pid.toString(36)}${made}`;
}
