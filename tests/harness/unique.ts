let made = 0;

/**
 * Returns a text that neither another test nor an earlier try has used, even on a Mattermost that keeps its
 * state.
 */
export function unique(prefix: string): string {
  made += 1;
  return `${prefix}${Date.now().toString(36)}${process.pid.toString(36)}${made}`;
}
