import { fileURLToPath } from "node:url";
import { slugOf } from "../../../build/site/anchors.ts";
import { linkRule } from "../../../build/site/links.ts";
import { alternateOf, writeTexts } from "../../../build/site/texts.ts";
import { LEFT_OUT, navigation, sidebar } from "../../../build/site/pages.ts";

const installed = (file: string) => fileURLToPath(new URL(`../node_modules/${file}`, import.meta.url));
const base = process.env["SITE_BASE"] ?? "/evalcube/";

export default {
  srcDir: "..",
  srcExclude: ["site/**", ...LEFT_OUT],
  outDir: "./dist",
  base,
  title: "evalcube",
  description: "Which model is better, on which rows, by how much, and is the difference more than chance?",
  lang: "en",
  head: [["link", { rel: "icon", href: "data:," }]],
  lastUpdated: false,
  vite: {
    // The pages lie outside of the folder that has the packages.
    resolve: {
      alias: [
        { find: /^vue$/, replacement: installed("vue/dist/vue.runtime.esm-bundler.js") },
        {
          find: /^vue\/server-renderer$/,
          replacement: installed("@vue/server-renderer/dist/server-renderer.esm-bundler.js"),
        },
      ],
    },
  },
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    anchor: { slugify: slugOf },
    config: linkRule,
  },
  themeConfig: {
    nav: navigation(),
    sidebar: sidebar(),
    outline: { level: [2, 3], label: "On this page" },
    search: { provider: "local" },
    socialLinks: [
      { icon: "github", link: "https://github.com/evalcube/evalcube", ariaLabel: "evalcube on GitHub" },
    ],
    footer: { message: "Apache-2.0" },
  },
  transformHead: ({ pageData }: { readonly pageData: { readonly relativePath: string } }) =>
    alternateOf(base, pageData.relativePath),
  buildEnd: (site: { readonly outDir: string; readonly pages: readonly string[] }) => writeTexts(site, base),
};
