// Shows those of the wrong answers whose text has all the words. Without it the list is a list.
const words = document.getElementById("words");
const found = document.getElementById("found");
const rooms = [...document.querySelectorAll("details.list")].map((room) => ({
  room,
  title: room.querySelector("h3").textContent.toLowerCase(),
  items: [...room.querySelectorAll("li")].map((item) => ({
    item,
    text: item.textContent.toLowerCase(),
  })),
}));

function search() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const { room, title, items } of rooms) {
    let here = 0;
    for (const { item, text } of items) {
      const fits = wanted.every((word) => text.includes(word) || title.includes(word));
      item.hidden = !fits;
      here += fits;
    }
    room.hidden = here === 0;
    room.open = wanted.length > 0 && here > 0;
    room.querySelector(".count").textContent = here;
    count += here;
  }
  found.textContent = wanted.length ? `${count} found` : "";
}

document.getElementById("search").hidden = false;
document.getElementById("search").addEventListener("submit", (event) => event.preventDefault());
words.addEventListener("input", search);
if (words.value) search(); // what a browser kept after "back"
