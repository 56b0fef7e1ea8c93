package dev.posthaste.chaos.report;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;

import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.helpers.DefaultHandler;

/** Reads a page back, as XML. */
final class Markup {

    private Markup() {}

    static Document parse(String xml) throws Exception {
        DocumentBuilder builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        builder.setErrorHandler(new DefaultHandler());
        return builder.parse(new InputSource(new StringReader(xml)));
    }

    static List<Element> all(Node root, String name) {
        NodeList found = root instanceof Document document
                ? document.getElementsByTagName(name)
                : ((Element) root).getElementsByTagName(name);
        List<Element> elements = new ArrayList<>();
        for (int i = 0; i < found.getLength(); i++) {
            elements.add((Element) found.item(i));
        }
        return elements;
    }

    static Element first(Element root, String name) {
        return all(root, name).get(0);
    }

    static List<Element> withClass(Node root, String name) {
        return all(root, "*").stream()
                .filter(element ->
                        Arrays.asList(element.getAttribute("class").split(" ")).contains(name))
                .toList();
    }

    /** A table's rows, its head included, as the texts of their cells. */
    static List<List<String>> rows(Element table) {
        return all(table, "tr").stream()
                .map(row -> all(row, "*").stream()
                        .filter(cell -> cell.getTagName().equals("th")
                                || cell.getTagName().equals("td"))
                        .map(Node::getTextContent)
                        .toList())
                .toList();
    }
}
