export const articles = [
  {
    slug: "three-seconds",
    title: "Three seconds and no fee",
    body: "A transfer of five cents on Hive costs nothing, and is in a block three seconds later.",
  },
  {
    slug: "one-key-for-each-job",
    title: "One key for each job",
    body: "The posting key speaks for an account, the active key pays, and the owner key stays in a drawer.",
  },
  {
    slug: "the-answer-nobody-used",
    title: "The answer nobody used",
    body: "Status 402 was reserved in the nineties. Today it carries a price that a program can pay.",
  },
];
