const code = 'process.on("SIGUSR2", () => { throw new Error("planted"); });';

/** Settings with which a process of the product throws an uncaught exception on SIGUSR2. */
export const throwsOnSignal = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}`,
};
