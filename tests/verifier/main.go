// Reads a served log with the libraries of Go's checksum database (golang.org/x/mod/sumdb), which are not ours:
// opens the checkpoints, authenticates the tiles against them, and proves inclusion and consistency from the tiles.
//
//	verifier PREFIX VKEYS [OLD_CHECKPOINT_FILE]
//
// VKEYS are the office's verifier keys with white space between them: what was kept may be signed by an earlier one.
// Prints what it accepted, or exits 1 with what it did not.
package main

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func check(err error) {
	if err != nil {
		fmt.Println("refused:", err)
		os.Exit(1)
	}
}

func get(url string) ([]byte, error) {
	answer, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != 200 {
		return nil, fmt.Errorf("%s: %s", url, answer.Status)
	}
	return io.ReadAll(answer.Body)
}

func open(text []byte, vkeys string) tlog.Tree {
	var verifiers []note.Verifier
	for _, vkey := range strings.Fields(vkeys) {
		verifier, err := note.NewVerifier(vkey)
		check(err)
		verifiers = append(verifiers, verifier)
	}
	opened, err := note.Open(text, note.VerifierList(verifiers...))
	check(err)
	lines := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err)
	root, err := base64.StdEncoding.DecodeString(lines[2])
	check(err)
	tree := tlog.Tree{N: size}
	copy(tree.Hash[:], root)
	return tree
}

// reader fetches each tile once: C2SP's paths are those of the checksum database without the height.
type reader struct {
	prefix string
	kept   map[tlog.Tile][]byte
}

func (r reader) Height() int { return 8 }

func (r reader) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range tiles {
		if content, ok := r.kept[tile]; ok {
			all = append(all, content)
			continue
		}
		content, err := get(r.prefix + "/" + strings.Replace(tile.Path(), "tile/8/", "tile/", 1))
		if err != nil {
			return nil, err
		}
		all = append(all, content)
	}
	return all, nil
}

// SaveTiles is given what was authenticated, and only that.
func (r reader) SaveTiles(tiles []tlog.Tile, contents [][]byte) {
	for n, tile := range tiles {
		r.kept[tile] = contents[n]
	}
}

func entries(prefix string, tree tlog.Tree) [][]byte {
	var found [][]byte
	for n := int64(0); n*256 < tree.N; n++ {
		width := tree.N - n*256
		if width > 256 {
			width = 256
		}
		path := tlog.Tile{H: 8, L: 0, N: n, W: int(width)}.Path()
		content, err := get(prefix + "/" + strings.Replace(path, "tile/8/0/", "tile/entries/", 1))
		check(err)
		for len(content) >= 2 {
			end := 2 + int(binary.BigEndian.Uint16(content))
			found = append(found, content[2:end])
			content = content[end:]
		}
	}
	return found
}

func main() {
	prefix, vkeys := os.Args[1], os.Args[2]
	served, err := get(prefix + "/checkpoint")
	check(err)
	tree := open(served, vkeys)
	hashes := tlog.TileHashReader(tree, reader{prefix, map[tlog.Tile][]byte{}})
	all := entries(prefix, tree)
	if int64(len(all)) != tree.N {
		check(fmt.Errorf("%d entries of %d", len(all), tree.N))
	}
	for n, entry := range all {
		proof, err := tlog.ProveRecord(tree.N, int64(n), hashes)
		check(err)
		check(tlog.CheckRecord(proof, tree.N, tree.Hash, int64(n), tlog.RecordHash(entry)))
	}
	fmt.Printf("accepted: a checkpoint of %d entries, each of them included\n", tree.N)
	if len(os.Args) > 3 {
		kept, err := os.ReadFile(os.Args[3])
		check(err)
		old := open(kept, vkeys)
		proof, err := tlog.ProveTree(tree.N, old.N, hashes)
		check(err)
		check(tlog.CheckTree(proof, tree.N, tree.Hash, old.N, old.Hash))
		fmt.Printf("accepted: it continues one of %d entries\n", old.N)
	}
}
