/** The pages that one test follows from top to bottom, with the number of their scripts. */
export const followedPages = [
  ["docs/first-sale.md", 5],
  ["docs/first-agent.md", 3],
  ["docs/agents.md", 6],
] as const;

/** The page whose files one test adds to the app. */
export const EXTENDING_PAGE = "docs/extend.md";
