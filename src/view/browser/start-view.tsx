import { render } from "preact";

const place = document.getElementById("evalcube-page");
if (place !== null) render(<main class="page" />, place);
