document.getElementById("app").textContent = "throughline";
