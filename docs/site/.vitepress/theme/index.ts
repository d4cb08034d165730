import theme from "vitepress/theme-without-fonts";
// oxlint-disable-next-line import/no-unassigned-import -- a style has no name
import "./style.css";

export default theme;
