/** Stands in for `@ungap/structured-clone` in the pages: every browser that they support can clone a value. */
export default structuredClone;
