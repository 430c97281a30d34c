/**
 * A font that is not there at the first paint waits for the next page, because text that changes its font moves
 * everything around it. The styles of the fonts' packages would exchange it.
 */
const optionalFonts = {
  postcssPlugin: "optional-fonts",
  Declaration: {
    "font-display": (declaration) => {
      if (declaration.value === "swap") declaration.value = "optional";
    },
  },
};

export default { plugins: ["@tailwindcss/postcss", optionalFonts] };
