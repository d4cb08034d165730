import { render } from "preact";
import { View } from "./view.tsx";

const place = document.getElementById("evalcube-page");
if (place !== null) render(<View ownKey={"ownKey" in place.dataset} />, place);
