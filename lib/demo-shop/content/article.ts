/** An article for sale; `body` is Markdown. */
export type Article = { slug: string; title: string; teaser: string; body: string };
